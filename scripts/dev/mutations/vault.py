"""Vault: keys, headers, records and the index of names."""

from .mutation import Mutation

MUTATIONS = [
    # Encryption
    Mutation(
        "the bytes before the ciphertext are not authenticated",
        "ATProtoVaultTests.RecordTests",
        "nonce: nonce, authenticating: head))",
        "nonce: nonce, authenticating: []))",
        "                authenticating: head)\n"
        "            return",
        "                authenticating: [])\n"
        "            return",
    ),
    Mutation(
        "a record is not bound to its UUID",
        "ATProtoVaultTests.RecordTests",
        "nonce: nonce, authenticating: head))",
        "nonce: nonce, authenticating: []))",
        "                authenticating: head)\n"
        "            return",
        "                authenticating: [])\n"
        "            return",
        "keys.key(purpose, owner.bytes + context)",
        "keys.key(purpose, context)",
    ),
    Mutation(
        "sealed bytes open with a wrong tag",
        "ATPCryptographyTests.AESGCMTests",
        "guard result == bskyauth_opened else {",
        "guard result == bskyauth_opened || result == bskyauth_not_authentic else {",
    ),
    Mutation(
        "secrets are not compared in constant time",
        "ConformanceTests.SourceTests",
        "return unsafe Memory.equals(left, right, left.count)",
        "return left == right",
    ),
    Mutation(
        "the last byte of a secret is not compared",
        "ATPCryptographyTests.RandomBytesTests",
        "return unsafe Memory.equals(left, right, left.count)",
        "return unsafe Memory.equals(left, right, max(left.count, 1) - 1)",
    ),
    # Keys
    Mutation(
        "a process with the previous vault key goes on writing",
        "ATProtoVaultTests.RekeyingTests",
        "        guard current.keyID == keys.id else { throw .keyChanged }\n",
        "",
    ),
    Mutation(
        "the previous vault key is dropped while accounts need it",
        "ATProtoVaultTests.RekeyingTests",
        "        guard left.isEmpty else { return left }\n",
        "        _ = left\n",
    ),
    Mutation(
        "a vault counts as known on every machine",
        "ATProtoVaultTests.MachineTests",
        "!header.machines.isEmpty && !header.machines.contains(mark)",
        "header.machines.isEmpty && !header.machines.contains(mark)",
    ),
    Mutation(
        "an earlier header stays beside a new one",
        "ATProtoVaultTests.DurabilityTests",
        "if copies { try VaultFiles.remove(layout.headerCopy) }",
        "",
    ),
    Mutation(
        "a header copy of another vault key is replaced",
        "ATProtoVaultTests.RekeyingTests",
        "guard copy.id == header.id, copy.keyID == header.keyID else {",
        "guard copy.id == header.id else {",
    ),
    Mutation(
        "an empty BSKYAUTH_PASSPHRASE is a passphrase",
        "BskyAuthCLITests.SettingsTests",
        'passphrase = value("BSKYAUTH_PASSPHRASE")',
        'passphrase = environment["BSKYAUTH_PASSPHRASE"]',
    ),
    # Names
    Mutation(
        "the index of names is rebuilt through a link",
        "ATProtoVaultTests.NameIndexTests",
        "try VaultFiles.verifyDirectory(layout.names)\n"
        "        let isThere",
        "let isThere",
    ),
    Mutation(
        "a damaged list of names counts as empty",
        "BskyAuthCoreTests.VaultAccountsTests",
        "for name in names where try vault.find(name: name) == nil {",
        "for name in names where name.isEmpty {",
    ),
    Mutation(
        "a cached key opens a header that it did not write",
        "ATProtoVaultTests.UnlockCacheTests",
        "key.keys.id == header.keyID, header.isAuthentic(key.keys)",
        "key.keys.id == header.keyID",
    ),
    Mutation(
        "a keyring that keeps nothing gets a key slot",
        "EndToEndTests.EndToEnd/VaultRememberTests",
        "guard self.secret(of: vault, within: Self.timeLimitForStoring) == secret else {",
        "guard ending == .exited(0) else {",
    ),
]
