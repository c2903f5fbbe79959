"""Rotation: a refresh token is spent once, under a lock, and no session is lost."""

from .mutation import Mutation

MUTATIONS = [
    # The lock
    Mutation(
        "the lock is shared",
        "ATPPlatformTests.AdvisoryLockTests",
        "flock(descriptor, LOCK_EX | LOCK_NB)",
        "flock(descriptor, LOCK_SH | LOCK_NB)",
    ),
    Mutation(
        "a lock counts though its file was removed",
        "ATPPlatformTests.AdvisoryLockTests",
        "do { return try Self.hasItsName(file) } catch { throw .access(FileAccessError(error)) }",
        "return true",
    ),
    Mutation(
        "a lock counts though its file was replaced",
        "ATPPlatformTests.AdvisoryLockTests",
        "st_dev == other.st_dev && st_ino == other.st_ino",
        "st_dev == other.st_dev",
    ),
    Mutation(
        "a refresh goes on under a lock whose file was removed",
        "BskyAuthCoreTests.LostAnswerTests",
        "do { return try lock.isCurrent() } catch {\n"
        "            throw VaultError",
        "do {\n"
        "            _ = try lock.isCurrent()\n"
        "            return true\n"
        "        } catch {\n"
        "            throw VaultError",
    ),
    # After a refused access token
    Mutation(
        "a token of another process leads to a verdict",
        "ATProtoSessionsTests.RefusedTokenTests",
        "if let own, own.token == sent.last, own.since",
        "if let own, own.since",
    ),
    Mutation(
        "an old token leads to a verdict",
        "ATProtoSessionsTests.RefusedTokenTests",
        "own.token == sent.last, own.since.duration(to: now) < Self.freshness {",
        "own.token == sent.last {",
    ),
    Mutation(
        "a verdict comes while an attempt to refresh is open",
        "BskyAuthCoreTests.CallFlowTests",
        "if let unclear = SessionFailure(unclear: earlier.withLock { $0 }, account, session) { throw unclear }",
        "",
    ),
    Mutation(
        "the words of a service lead to a verdict",
        "BskyAuthCoreTests.CallFlowTests",
        "let isOfServer = call.nsid == .getSession && call.service == nil",
        "let isOfServer = true",
    ),
    # Before the request
    Mutation(
        "no intent is written",
        "ATProtoVaultTests.RotationTests",
        "try intents.write(intent, generation: generation, of: id)",
        "",
    ),
    Mutation(
        "tokens of another process are not adopted",
        "ATProtoSessionsTests.SessionStoreTests",
        "guard rotation.stored.tokenFingerprint == holding else {",
        "guard rotation.stored.tokenFingerprint != \"\" else {",
    ),
    Mutation(
        "a token is spent after a signal to end",
        "BskyAuthCoreTests.RotationTests",
        "            guard !environment.criticalSection.isInterrupted else { throw SessionFailure.cancelled }\n"
        "        } catch {",
        "        } catch {",
    ),
    Mutation(
        "the next account is refreshed after a signal to end",
        "BskyAuthCoreTests.RefreshAllTests",
        "while !criticalSection.isInterrupted, let",
        "while let",
    ),
    Mutation(
        "a lost answer is not waited for",
        "BskyAuthCoreTests.LostAnswerTests",
        "try await network.wallClock.wait(until: wait.until)",
        "",
    ),
    Mutation(
        "a rotation begins with any token",
        "ATProtoSessionsTests.SessionStoreTests",
        "guard try host.session(id).refreshToken == token else {",
        "guard try host.session(id).refreshToken != nil else {",
    ),
    # After the request
    Mutation(
        "the intent is removed before the session is written",
        "ATProtoVaultTests.DurabilityTests",
        "        var failure: SystemError?\n",
        "        var failure: SystemError?\n"
        "        try intents.write(nil, generation: generation, of: account)\n",
    ),
    Mutation(
        "tokens that do not verify are used",
        "BskyAuthCoreTests.RotationFailureTests",
        "session.state = .quarantined",
        "session.state = .ok",
    ),
    Mutation(
        "nonces are written before the tokens of the same answer",
        "BskyAuthCoreTests.RotationTests",
        "cache.hold()",
        "",
    ),
    Mutation(
        "an end is written over the session of another process",
        "BskyAuthCoreTests.LostAnswerTests",
        "guard try await self.session().tokenFingerprint == stored.tokenFingerprint else {",
        "guard try await self.session().tokenFingerprint != \"\" else {",
    ),
    Mutation(
        "new tokens are written over the session of another process",
        "BskyAuthCoreTests.LostAnswerTests",
        "guard stored == generation else { throw .overtaken }",
        "_ = stored",
    ),
    Mutation(
        "new tokens that are not stored are not revoked",
        "BskyAuthCoreTests.LostAnswerTests",
        "case .rotated(let answer) where error.code == .overtaken:",
        "case .rotated(let answer) where error.code == .busy:",
    ),
    Mutation(
        "an abandoned rotation removes the intent of another process",
        "ATProtoVaultTests.RotationTests",
        "if intent.isSameAttempt(as: present) {",
        "if present != nil {",
    ),
    Mutation(
        "the name of the only copy is not synced",
        "ATProtoVaultTests.DurabilityTests",
        "syncsName: failure != nil",
        "syncsName: false",
    ),
    Mutation(
        "a session in a moved vault counts as saved",
        "ATProtoVaultTests.RotationTests",
        "if try directory.isAtItsPath() { return lock }",
        "_ = try directory.isAtItsPath()\n"
        "            return lock",
    ),
    Mutation(
        "a token is sent again before the time that the server asked for",
        "BskyAuthCoreTests.AnsweredRefreshTests",
        "if isForced, !answer.mayHideRotation { return nil }",
        "if isForced { return nil }",
    ),
    Mutation(
        "an answer that can't be read is not kept",
        "BskyAuthCoreTests.AnsweredRefreshTests",
        "if let unread { do {",
        "if let unread, unread.bytes.isEmpty { do {",
    ),
    Mutation(
        "a page after a lost answer makes the session uncertain",
        "BskyAuthCoreTests.AnsweredRefreshTests",
        "case (400...401, let code?) where !Self.codesAboutOthers.contains(code): .refused",
        "case (400..<500, _): .refused",
    ),
    Mutation(
        "an intent from the future is waited for",
        "BskyAuthCoreTests.LostAnswerTests",
        "min(earlier.startedAt, now)",
        "earlier.startedAt",
    ),
    Mutation(
        "a session that waited for the lock is not read again",
        "BskyAuthCoreTests.HandoverTests",
        "        let stored = try accounts.session(id)\n"
        "        try stored.checkUsable(account, isForced: false)\n"
        "        try await environment.catchUpMirror",
        "        let stored = session\n"
        "        try stored.checkUsable(account, isForced: false)\n"
        "        try await environment.catchUpMirror",
    ),
    Mutation(
        "a session that ended while its mirror waited is used",
        "BskyAuthCoreTests.HandoverTests",
        "        try stored.checkUsable(account, isForced: false)\n"
        "        try await environment.catchUpMirror",
        "        try await environment.catchUpMirror",
    ),
    Mutation(
        "headers for another client go to the server that an account has left",
        "BskyAuthCoreTests.HeadersTests",
        "guard url.origin == account.pds else { throw CoreError.foreignAudience(account, url.origin) }",
        "",
    ),
    Mutation(
        "the keeper gets the vault key before it has named its version",
        "BskyAuthCLITests.KeeperTests",
        "return try socket.receive() == Keeper.greeting",
        "return try socket.receive() != nil",
    ),
    Mutation(
        "a handed over key opens any vault",
        "BskyAuthCLITests.KeeperTests",
        "guard let keys = VaultKeys(handedOver: key), keys.id == header.keyID, header.isAuthentic(keys) else {",
        "guard let keys = VaultKeys(handedOver: key) else {",
    ),
    Mutation(
        "the keeper ends with its command while a request is sent",
        "EnduranceTests.KeeperTests",
        "            await keeper.section.close()\n",
        "",
    ),
]
