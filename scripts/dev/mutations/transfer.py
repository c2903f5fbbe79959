"""Transfer: bundles, and the mirror that gets each new session."""

from .mutation import Mutation

MUTATIONS = [
    Mutation(
        "an imported token may be bound to another key",
        "BskyAuthCoreTests.TransferTests",
        "bound != key.thumbprint",
        "bound.isEmpty",
    ),
    Mutation(
        "an account is removed before its bundle is written",
        "BskyAuthCoreTests.TransferTests",
        "        exported.isReadableByOthers = try !write(bundle, of: exported.account, to: path)\n"
        "        try await environment.remove(exported.account, removal, after: .export(file: path), under: lock)\n",
        "        try await environment.remove(exported.account, removal, after: .export(file: path), under: lock)\n"
        "        exported.isReadableByOthers = try !write(bundle, of: exported.account, to: path)\n",
    ),
    Mutation(
        "an account can be moved after an unanswered refresh",
        "BskyAuthCoreTests.TransferTests",
        "if let intent, intent.tokenFingerprint == session.refreshToken?.fingerprint {",
        "if let intent, intent.tokenFingerprint.isEmpty {",
    ),
    Mutation(
        "an import starts the generations again",
        "BskyAuthCoreTests.TransferTests",
        "imported: portable.generation",
        "imported: nil",
    ),
    Mutation(
        "an older session is imported although a later one is known",
        "EndToEndTests.EndToEnd/TransferTests",
        "account.generation < minGeneration",
        "account.generation < 1",
    ),
    Mutation(
        "a mirror that has a later session is like one that fails",
        "EndToEndTests.EndToEnd/HostedRunnerTests",
        "case .exited(Self.superseded): throw .superseded",
        "case .exited(Self.superseded): throw .failed(Self.superseded)",
    ),
    Mutation(
        "the mirror is not tried before a token is spent",
        "BskyAuthCoreTests.HandoverTests",
        "store(account, .before, from: environment.accounts, under: lock)",
        "store(account, .after, from: environment.accounts, under: lock)",
    ),
    Mutation(
        "a mirror that fails after a refresh is not reported",
        "BskyAuthCoreTests.HandoverTests",
        "throw CoreError.mirror(account, moment, error)",
        "if moment == .before { throw CoreError.mirror(account, moment, error) }",
    ),
    Mutation(
        "the generation in the mirror is not recorded",
        "BskyAuthCoreTests.HandoverTests",
        "try accounts.vault.noteMirror(of: portable.generation, of: account.id, under: lock)",
        "",
    ),
    Mutation(
        "a mirror that is behind is not updated while the token is fresh",
        "BskyAuthCoreTests.HandoverTests",
        "return (.fresh, try await context.accounts.settled(session, of: id, waiting: lockTimeout))",
        "return (.fresh, session)",
    ),
    Mutation(
        "an adopted session is not sent to the mirror",
        "BskyAuthCoreTests.HandoverTests",
        "            try await environment.catchUpMirror(for: account, under: lock)\n        }\n    }\n",
        "        }\n    }\n",
    ),
    Mutation(
        "a change of the vault key removes the record of the mirror",
        "ATProtoVaultTests.RekeyingTests",
        "for file in [layout.intent(of: id), layout.mirrorMark(of: id), layout.answer(of: id)]",
        "for file in [layout.intent(of: id), layout.answer(of: id)]",
    ),
    Mutation(
        "a restored session counts as sent to the mirror",
        "ATProtoVaultTests.MirrorMarkTests",
        "if file.kind == .session, try mirror.generation(of: file.owner) != nil",
        "if file.kind == .profile, try mirror.generation(of: file.owner) != nil",
    ),
    Mutation(
        "the record of the mirror is not verified",
        "ATProtoVaultTests.VaultCheckTests",
        "for file in [layout.mirrorMark(of: id), layout.answer(of: id)]",
        "for file in [layout.answer(of: id)]",
    ),
    Mutation(
        "the halves of an imported key are not compared",
        "BskyAuthCoreTests.TakeoverTests",
        "do { try key.verify() } catch { throw .keyHalvesDiffer }",
        "_ = key",
    ),
    Mutation(
        "a session of any issuer is taken over",
        "BskyAuthCoreTests.TakeoverTests",
        "guard metadata.issuer.description == saved.issuer else {",
        "guard metadata.issuer.description != \"\" else {",
    ),
    Mutation(
        "a session that its server knows as another account's is taken over",
        "BskyAuthCoreTests.TakeoverTests",
        "?[\"did\"]?.string == account.did.description else {\n            throw CoreError.takeover",
        "?[\"did\"]?.string != nil else {\n            throw CoreError.takeover",
    ),
]
