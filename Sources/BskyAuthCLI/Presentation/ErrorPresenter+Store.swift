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
        case .permissionDenied, .credentialsNeeded, .credentialsRefused, .authenticationOff, .readOnly:
            return Failure(.network, "store_refused", message, hint: "man bskyauth-sharing")
        case .untrusted: return Failure(.network, "store_untrusted", message, hint: "man bskyauth-sharing")
        case .notDurable: return Failure(.network, "store_not_durable", message, hint: "man bskyauth-sharing")
        case .unclearPlace: return Failure(.network, "store_unclear", message, hint: "man bskyauth-sharing")
        case .notPrepared: return failure(SharingRefusal.storeHasNoVault)
        case .noSpace: return Failure(.network, "store_full", message, hint: "man bskyauth-sharing")
        case .unreadable:
            return Failure(.vaultDamaged, "store_unreadable", message, hint: "man bskyauth-sharing")
        default: return Failure(.network, "store_unavailable", message, hint: "run the command again")
        }
    }

    /// The store has an earlier state than this machine.
    static func storeWentBack(_ id: UUID) -> Failure {
        Failure(
            .vaultDamaged, "store_went_back",
            "the store of the shared vault has an earlier state of account \(id.text) than this machine has seen, "
                + "for example after a backup was restored; no token was used",
            hint: "bskyauth vault flush --repair", account: id.text)
    }

    /// The store went back, and not all machines have offered what they have.
    static func repairing(_ repair: VaultError.Repair) -> Failure {
        let names = repair.others.map(\.escapedForTerminal).joined(separator: ", ")
        let waiting = repair.needsThis ? ["this machine"] : []
        return Failure(
            .busy, "repairing",
            "the store of the shared vault went back to an earlier state; before a refresh, it needs the sessions of "
                + (waiting + (names.isEmpty ? [] : [names])).joined(separator: ", "),
            hint: repair.needsThis
                ? "bskyauth vault flush --repair" : "on \(names), run: bskyauth vault flush --repair")
    }

    /// Another machine refreshes the session, or has begun to.
    static func claimed(_ claim: SharedClaim) -> Failure {
        let name = claim.machine.name.escapedForTerminal
        let when = TimeText.relative(claim.startedAt, to: Date())
        return Failure(
            .busy, "claimed",
            "the machine \(name) began to refresh this session \(when) by its clock and has not finished",
            hint: claim.machine.isDurable
                ? "on \(name), run: bskyauth vault flush"
                : "run the command again, or wait longer: --lock-timeout 300s")
    }

    /// A part of this program that has no way to the store.
    static var sharedElsewhere: Failure {
        Failure(
            .failure, "vault_shared",
            "the vault is shared with other machines, and this part of bskyauth works with unshared vaults only",
            hint: "bskyauth vault status")
    }

    static var sharingChanged: Failure {
        Failure(
            .busy, "sharing_changed",
            "another process has shared the vault with other machines since this one opened it",
            hint: "run the command again")
    }

    /// A row of an account that is damaged. The machines still have the account, and give it back if the store has no row.
    static func damagedRow(_ key: String, _ reason: String) -> Failure {
        Failure(
            .vaultDamaged, "damaged",
            "the row \(key.escapedForTerminal) of the store is damaged (\(reason.escapedForTerminal)); the machines still have "
                + "the account, and none refreshes it meanwhile",
            hint:
                "delete that row from the store, then on every machine whose disk stays, run: bskyauth vault flush --repair"
        )
    }

    static func storeURL(_ url: String, _ reason: String) -> Failure {
        // A URL with a user may have a password too.
        let name = url.contains("@") ? "the URL" : url.escapedForTerminal
        return Failure(
            .usage, "store_url", "\(name) can't be used as a store: \(reason.escapedForTerminal)",
            hint: "man bskyauth-sharing")
    }

    /// Why a vault can't be shared, or what a shared vault can't do.
    static func failure(_ refusal: SharingRefusal) -> Failure {
        func usage(_ code: String, _ message: String, _ hint: String) -> Failure {
            Failure(.usage, code, message, hint: hint)
        }
        switch refusal {
        case .isShared(let store):
            return usage(
                "vault_is_shared", "the vault is shared already, through \(store.escapedForTerminal)",
                "bskyauth vault status")
        case .isNotShared:
            return usage(
                "vault_not_shared", "the vault is not shared with other machines",
                "bskyauth vault share --help")
        case .unshared(let machine):
            let name = machine.name.escapedForTerminal
            return Failure(
                .failure, "vault_unshared",
                "the machine \(name) took the vault out of the store, and has its accounts; those here are not refreshed",
                hint: "to share it again, run on \(name): bskyauth vault share --help")
        case .sharing:
            return Failure(
                .failure, "sharing",
                "this machine has begun to share the vault, and the store does not have all of it yet",
                hint: "run the same bskyauth vault share again")
        case .storeLost:
            return Failure(
                .vaultDamaged, "store_lost",
                "the store has lost the shared vault; the accounts on this machine can't be refreshed until it is restored",
                hint: "restore a backup of the store, or see: man bskyauth-sharing")
        case .unsharing:
            return Failure(
                .failure, "unsharing",
                "this machine has begun to take the vault out of its store, and has not finished",
                hint: "bskyauth vault unshare")
        case .unfinished(let accounts):
            let count = accounts.count
            return Failure(
                .busy, "unfinished",
                "this machine has not finished refreshing \(count) account\(count == 1 ? "" : "s")",
                hint: "bskyauth vault flush")
        case .storeInUse:
            return usage(
                "store_in_use", "the store has data under this prefix already; nothing was changed",
                "choose another prefix, or join the vault that is there: bskyauth vault join --help")
        case .storeHasNoVault:
            return usage(
                "store_has_no_vault", "the store has no shared vault under this prefix",
                "on the machine that has the accounts, run: bskyauth vault share --to URL")
        case .laterProtocol(let version):
            return Failure(
                .vaultDamaged, "newer_format",
                "a newer bskyauth shared the vault in this store (protocol \(version)); nothing was changed",
                hint: "update bskyauth")
        case .rekeying:
            return usage(
                "rekeying", "a change of the vault key is unfinished", "bskyauth vault rekey")
        case .noKeyFile:
            return usage(
                "no_key_file",
                "no key file opens the vault. Other machines join with one, because whoever can read the store could guess a passphrase",
                "bskyauth vault add-key --new-key-file FILE")
        case .newKey:
            return usage(
                "shared_rekey",
                "the key of a vault is not changed while machines share it; take the vault out of its store first, "
                    + "then change the key and share it again",
                "bskyauth vault unshare")
        case .nameTaken(let other):
            return usage(
                "machine_name_taken",
                "another machine of this vault is named \(other.name.escapedForTerminal); if its disk is lost, run on a machine that is left: "
                    + "bskyauth vault machines forget \(other.id.text.prefix(8))",
                "choose another name: --machine-name NAME")
        case .export:
            return usage(
                "shared_export",
                "an account of a shared vault can't be exported, because a copy would spend the refresh token of the other machines",
                "on the other machine, run: bskyauth vault join --help")
        }
    }

    /// Another machine took this one off the list of machines.
    static let forgottenHere = "another machine has forgotten this one, so a repair would not wait for it"

    /// The command that puts this machine on the list again.
    ///
    /// - Parameter url: that of the store.
    static func joiningAgain(_ url: String) -> String {
        "bskyauth vault join \(url.escapedForTerminal.shellQuoted)"
    }
}
