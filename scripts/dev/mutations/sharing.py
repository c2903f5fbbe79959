"""The vault that machines share: the rules of docs/design/shared-vault.md."""

from .mutation import Mutation

PROTOCOL = "ATProtoSessionsTests.SharedVaultTests"
REPAIR = "ATProtoSessionsTests.StoreRepairTests"
SHARING = "ATProtoSessionsTests.VaultSharingTests"
LOGINS = "ATProtoSessionsTests.SharedLoginTests"

MUTATIONS = [
    Mutation(
        "every unknown error of etcd is taken for an outdated token, so a write is repeated",
        "BskyAuthEtcdRowsTests.EtcdUserTests",
        "(number == 2 || number == 3) && Self.outdatedToken.contains(text)",
        "number == 2",
    ),
    Mutation(
        "the claim of a durable machine is taken over by time",
        PROTOCOL,
        "claim.machine.isDurable ? claim.machine.takeover : store.limits.takeover",
        "Optional(claim.machine.takeover ?? store.limits.takeover)",
    ),
    Mutation(
        "a claim is taken over before its time",
        PROTOCOL,
        "            if missing <= .zero { return true }\n",
        "            if missing <= .seconds(300) { return true }\n",
    ),
    Mutation(
        "a claim under which nothing was sent stays",
        PROTOCOL,
        "guard let intent = copy.intent, let claim = intent.claim, !claim.isSent else { return false }",
        "guard let intent = copy.intent, let claim = intent.claim, !claim.isSent, false else { return false }",
    ),
    Mutation(
        "an answer is stored only under the claim it was asked with",
        PROTOCOL,
        "            if stored.refreshToken?.fingerprint == spent {\n",
        "            if stored.refreshToken?.fingerprint == spent,\n"
        "                try read.record.claim?.id == vault.intents.read(of: id)?.claim?.id\n            {\n",
    ),
    Mutation(
        "a takeover is not told to the next attempt",
        PROTOCOL,
        "        guard let attempt = record.attempt ?? taken else { return }\n",
        "        guard let attempt = record.attempt, taken == nil else { return }\n",
    ),
    Mutation(
        "a machine does not notice that the store went back",
        PROTOCOL,
        "            guard read.record.generation >= copy.seen else { throw try await wentBack() }\n",
        "",
    ),
    Mutation(
        "an answer is dropped if the store went back meanwhile",
        REPAIR,
        "                guard read.record.generation >= generation else { throw try await wentBack() }\n",
        "",
    ),
    Mutation(
        "one machine repairs a store for all",
        REPAIR,
        "                record.awaited = machines\n",
        "                record.awaited = machines.filter { $0.id == store.machine.id }\n",
    ),
    Mutation(
        "machines refresh during a repair",
        REPAIR,
        "            guard read.record.awaited.isEmpty else { throw .repairing(store.repair(of: read.record)) }\n",
        "",
    ),
    Mutation(
        "a repair keeps a claim from before the rollback",
        REPAIR,
        "        claim = nil\n        if let token {\n",
        "        if let token {\n",
    ),
    Mutation(
        "a repair hides that an attempt may have spent the token",
        REPAIR,
        "                record.attempt = record.attempt ?? attempt\n",
        "                _ = attempt\n",
    ),
    Mutation(
        "an earlier session wins a repair",
        REPAIR,
        "            let isNewer = copy.record.generation > (read?.record.generation ?? 0)\n",
        "            let isNewer = true\n",
    ),
    Mutation(
        "a vault leaves its store while a machine refreshes",
        SHARING,
        "            if let claim = record.claim, !claim.isForgotten, claim.machine.id != store.machine.id {\n",
        "            if let claim = record.claim, !claim.isForgotten, claim.machine.id != store.machine.id, false {\n",
    ),
    Mutation(
        "a passphrase of one machine goes to the store",
        SHARING,
        "    var isShared: Bool { method == .keyFile && !isRemembered }\n",
        "    var isShared: Bool { !isRemembered }\n",
    ),
    Mutation(
        "a store takes clients back to an earlier state",
        SHARING,
        "        for row in rows where try row.generation > vault.clientFiles.generation(of: row.id) {\n",
        "        for row in rows where try row.generation != vault.clientFiles.generation(of: row.id) {\n",
    ),
    Mutation(
        "a kept login is written though the record has changed",
        LOGINS,
        "        if read?.revision == write.revision {\n",
        "        if read?.revision == write.revision || read?.record.account != nil {\n",
    ),
    Mutation(
        "the row of an account that may still come is taken",
        LOGINS,
        "            return try await store.write(gone, over: nil, of: id, files) == nil ? .again : .own\n",
        "            return gone.account == nil ? .own : .again\n",
    ),
    Mutation(
        "a logout leaves the row of its login",
        LOGINS,
        "            if let login { await deleteRow(row, of: login, if: id) }\n",
        "",
    ),
    Mutation(
        "an account of an older program gets no row",
        LOGINS,
        "        try await completeLogins(rows)\n",
        "",
    ),
    Mutation(
        "a login whose write may be made is revoked",
        LOGINS,
        "            if login.kept == nil, login.write == nil { throw error }\n",
        "            if login.kept == nil { throw error }\n",
    ),
]
