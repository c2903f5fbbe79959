internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthRows
internal import FoundationEssentials

/// The store of a shared vault.
extension ErrorPresenter {
    /// A store that could not be used. Its own words name it, and have no secret.
    static func failure(_ error: RowStoreError) -> Failure {
        let message = "the store of the shared vault failed: \(error.description.escapedForTerminal)"
        switch error.code {
        case .permissionDenied, .credentialsNeeded, .credentialsRefused, .authenticationOff:
            return Failure(.network, "store_refused", message, hint: "bskyauth doctor")
        case .untrusted: return Failure(.network, "store_untrusted", message, hint: "bskyauth doctor")
        case .noSpace: return Failure(.network, "store_full", message, hint: "bskyauth doctor")
        case .unreadable: return Failure(.vaultDamaged, "store_unreadable", message, hint: "bskyauth doctor")
        default: return Failure(.network, "store_unavailable", message, hint: "run the command again")
        }
    }

    /// The store has an earlier state than this machine.
    static func storeWentBack(_ id: UUID) -> Failure {
        Failure(
            .vaultDamaged, "store_went_back",
            "the store of the shared vault has an earlier state of account \(id.text) than this machine has seen, "
                + "for example after a backup was restored; no token was used",
            hint: "bskyauth vault status", account: id.text)
    }

    /// Another machine refreshes the session, or has begun to.
    static func claimed(_ claim: SharedClaim) -> Failure {
        let name = claim.machine.name.escapedForTerminal
        let when = TimeText.relative(claim.startedAt, to: Date())
        return Failure(
            .busy, "claimed",
            "the machine \(name) began to refresh this session \(when) by its clock and has not finished",
            hint: claim.machine.isDurable
                ? "on \(name), run: bskyauth refresh"
                : "run the command again, or wait longer: --lock-timeout 300s")
    }
}
