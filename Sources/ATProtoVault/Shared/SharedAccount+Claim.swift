internal import ATProtoSessions
internal import BskyAuthRows
internal import FoundationEssentials
internal import OAuthDPoP
internal import Synchronization

/// The claim of a shared account, under which this machine sends its refresh token.
extension SharedAccount {
    /// The claim for the intent of a rotation that is about to begin. An own claim that is there is repeated under its id.
    func newClaim() throws(VaultError) -> RotationIntent.Claim {
        guard let row = row.withLock({ $0 }) else { throw .busy(holder: nil) }
        let own = try vault.intents.read(of: id)?.claim?.id
        // Others count for how long they have seen a claim of an ephemeral machine, so each attempt there has its own.
        let isOwn = store.machine.isDurable && own != nil && own == row.record.claim?.id
        return RotationIntent.Claim(
            id: isOwn ? own ?? UUID() : UUID(), revision: row.revision.number, isSent: false)
    }

    /// Writes the claim into the record.
    ///
    /// - Returns: when the token must have begun to go out at the latest.
    /// - Throws: ``VaultError/overtaken`` if another machine has changed the record.
    func claim(for intent: RotationIntent) async throws(VaultError) -> ContinuousClock.Instant {
        let begin = ContinuousClock.now
        guard let read = row.withLock({ $0 }), let own = intent.claim else { throw .busy(holder: nil) }
        var record = read.record
        record.claim = SharedClaim(id: own.id, machine: store.machine, startedAt: intent.startedAt)
        if intent.attempt > 1 {
            record.attempt =
                record.attempt
                ?? RotationIntent(
                    tokenFingerprint: intent.tokenFingerprint, startedAt: intent.startedAt,
                    attempt: intent.attempt - 1)
        }
        if let written = try await store.write(record, over: read, of: id, vault.files) {
            row.withLock { $0 = written }
            return begin + store.limits.send
        }
        // The claim may have landed unseen, and another machine may have changed the profile since.
        let found = try await self.read()
        guard let claim = found.record.claim, claim.id == own.id, claim.written == record.claim?.written
        else { throw .overtaken }
        row.withLock { $0 = found }
        return begin + store.limits.send
    }

    /// Claims an account that is logged out of. With a public client, nothing is sent that gives new tokens, so a later process withdraws
    /// the claim if this one does not end it. With a confidential client, the logout tries the refresh token at its end.
    func claimForRemoval() async throws(VaultError) {
        let copy = try copy()
        let fresh = try newClaim()
        let claim = RotationIntent.Claim(
            id: fresh.id, revision: fresh.revision,
            isSent: copy.session.credential.oauth?.client.isConfidential == true)
        let intent = RotationIntent(
            tokenFingerprint: copy.session.refreshToken?.fingerprint ?? "", startedAt: Date(),
            attempt: (copy.intent?.attempt ?? 0) + 1, claim: claim)
        try vault.intents.write(intent, generation: copy.record.generation, of: id)
        do { _ = try await self.claim(for: intent) } catch {
            // A claim that may still land needs its intent.
            if case .store(let failure) = error, failure.outcome == .unknown { throw error }
            try vault.intents.write(copy.intent, generation: copy.record.generation, of: id)
            throw error
        }
    }

    /// Takes the claim out of the record.
    ///
    /// - Parameter attempt: the attempt under the claim, if it may have spent the token and no answer will come any more.
    func withdraw(noting attempt: RotationIntent? = nil) async throws(VaultError) {
        guard var read = row.withLock({ $0 }) else { return }
        let own = try vault.intents.read(of: id)?.claim?.id
        // Another machine may change the profile meanwhile. A new login elsewhere has ended the claim.
        while let claim = read.record.claim, claim.id == own {
            var record = read.record
            record.claim = nil
            if let attempt { record.attempt = attempt }
            if try await store.write(record, over: read, of: id, vault.files) != nil { return }
            read = try await self.read()
        }
    }
}
