internal import ATPPlatform
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore

extension ErrorPresenter {
    /// - Parameter file: the path of the bundle to open, from the command line; nil if a bundle was made.
    static func failure(_ error: BundleError, opening file: String? = nil) -> Failure {
        let again = "bskyauth accounts import \(file?.escapedForTerminal.shellQuoted ?? "FILE")"
        return switch error {
        case .wrongPassphrase:
            Failure(
                .vaultLocked, "wrong_passphrase",
                "wrong passphrase for the bundle; the bundle itself is intact",
                hint: "\(again) --bundle-passphrase-file FILE")
        case .wrongKeyFile(let path):
            Failure(
                .vaultLocked, "wrong_key_file",
                "the key file \(path.escapedForTerminal) does not open the bundle, which was sealed for another key",
                hint: "\(again) --recipient-key FILE")
        case .keyFileMissing(let path):
            Failure(
                .vaultLocked, "key_file_missing",
                "the key file \(path.escapedForTerminal) does not exist; use the key file that the bundle was sealed for",
                hint: "\(again) --recipient-key FILE")
        case .takesPassphrase:
            Failure(
                .vaultLocked, "no_such_slot", "the bundle is sealed for a passphrase, not for a key file",
                hint: "\(again) --bundle-passphrase-file FILE")
        case .takesKeyFile:
            Failure(
                .vaultLocked, "no_such_slot", "the bundle is sealed for a key file, not for a passphrase",
                hint: "\(again) --recipient-key FILE")
        case .damaged(let reason):
            Failure(
                .vaultDamaged, "bundle_damaged", "the bundle is damaged: it \(reason.escapedForTerminal)",
                hint: "copy the bundle again, then: \(again)")
        case .newerFormat(let found):
            Failure(
                .vaultDamaged, "newer_format", "the bundle was written by a newer bskyauth (format \(found))",
                hint: "update bskyauth")
        case .exists(let path):
            Failure(
                .usage, "bundle_exists",
                "\(path.escapedForTerminal) already exists and was not overwritten, so the account stays here",
                hint: "name another file: bskyauth accounts export ACCOUNT --to FILE")
        case .vault(.keyFileMissing(let path)):
            Failure(
                .vaultLocked, "key_file_missing", "the key file \(path.escapedForTerminal) does not exist",
                hint: "(umask 077; head -c 32 /dev/urandom > \(path.escapedForTerminal.shellQuoted))")
        case .vault(.keyFileOpen(let path, let problem)): openKeyFile(path, problem, isOfBundle: true)
        case .vault(.io(let error)): disk(error)
        case .vault(let error): failure(error)
        }
    }

    /// Bundles of one directory that the given key does not open.
    ///
    /// - Parameter error: what the last of them said: a wrong passphrase or a wrong key file.
    static func wrongKey(
        _ error: BundleError, ofBundles paths: [String], in directory: String
    ) -> Failure {
        let key =
            if case .wrongKeyFile(let path) = error {
                "the key file \(path.escapedForTerminal)"
            } else { "this passphrase" }
        let names = Failure.list(paths.map(\.escapedForTerminal))
        var failure = failure(error, opening: directory)
        failure.message =
            paths.count == 1
            ? "1 bundle (\(names)) is not opened by \(key)"
            : "\(paths.count) bundles (\(names)) are not opened by \(key)"
        return failure
    }

    static func failure(_ error: UnreadableRecord) -> Failure {
        Failure(
            .vaultDamaged, "unreadable_bundle",
            "the bundle opens, but its content can't be read (\(error.member)): "
                + "another version of bskyauth or another program wrote it",
            hint: "update bskyauth")
    }

    /// A bundle whose session was refreshed elsewhere. Its refresh token must not be sent again.
    ///
    /// - Parameter file: the path of the bundle, from the command line.
    static func superseded(_ generation: UInt64, by latest: UInt64, _ file: String) -> Failure {
        Failure(
            .busy, "bundle_superseded",
            "the bundle has generation \(generation), but generation \(latest) exists; it was not imported, and no token "
                + "was used",
            hint:
                "get the latest bundle, then: bskyauth accounts import \(file.escapedForTerminal.shellQuoted) --min-generation \(latest)"
        )
    }

    static func foreignKey(_ login: AccountLogin) -> Failure {
        let name = AccountText.name(login.account)
        return Failure(
            .verificationFailed, "foreign_key",
            "the tokens of \(name) in the bundle are not bound to the key in the bundle; "
                + "nothing was saved",
            hint: AccountText.loginCommand(login), account: name)
    }

    /// A session of another program that was not taken over.
    static func takeover(_ problem: TakeoverProblem) -> Failure {
        let help = "bskyauth help accounts import"
        return switch problem {
        case .unreadable(let reason):
            Failure(
                .usage, "session_unreadable",
                "the file is not a session of oauth-client-node: \(reason.escapedForTerminal); nothing was saved",
                hint: help)
        case .keyHalvesDiffer:
            Failure(
                .verificationFailed, "key_mismatch",
                "the public half of the key (x, y) does not belong to its private half (d); nothing was saved",
                hint: help)
        case .alreadyHere(let account):
            Failure(
                .usage, "already_imported",
                "this session is in the vault already, as \(AccountText.name(account)); nothing was saved",
                hint: "bskyauth accounts", account: AccountText.name(account))
        case .laterThanHere(let account):
            Failure(
                .usage, "later_session",
                "the bundle has a later session of \(AccountText.name(account)) than this vault, whose own one may no longer work; "
                    + "nothing was saved",
                hint:
                    "keep the bundle, remove the earlier session, and import again:  bskyauth logout --local-only "
                    + AccountText.selector(account),
                account: AccountText.name(account))
        case .tokenOfAnotherKey:
            Failure(
                .verificationFailed, "foreign_key",
                "the access token in the file is not bound to the key in the file; nothing was saved",
                hint: "bskyauth login HANDLE")
        case .clientNotNamed:
            Failure(
                .usage, "client_not_named",
                "the file does not say which client the session belongs to; use --client-id with the client_id of your program",
                hint: help)
        case .issuedToAnotherClient(let client):
            Failure(
                .verificationFailed, "client_mismatch",
                "the access token was issued to the client \(client.escapedForTerminal); nothing was saved",
                hint: "use --client-id \(client.escapedForTerminal.shellQuoted)")
        case .refused:
            Failure(
                .loginNeeded, "session_refused",
                "the account's server does not accept the session; nothing was saved",
                hint: "bskyauth login HANDLE")
        case .anotherAccount:
            Failure(
                .verificationFailed, "other_account",
                "the account's server knows the session as another account's; nothing was saved",
                hint: "bskyauth login HANDLE")
        }
    }

    /// An account whose last refresh did not end. If the server may have made it, another refresh could end the session.
    static func rotationUnsettled(_ login: AccountLogin, _ mayHideRotation: Bool) -> Failure {
        let name = AccountText.name(login.account)
        guard mayHideRotation else {
            return Failure(
                .busy, "rotation_unsettled",
                "the last refresh of \(name) failed; refresh it once more before you export it",
                hint: "bskyauth refresh --force \(AccountText.selector(login.account))", account: name)
        }
        return Failure(
            .loginNeeded, "rotation_unsettled",
            "the last refresh of \(name) got no answer, so its session may have ended; log in again before you export it",
            hint: AccountText.loginCommand(login), account: name)
    }

    /// A mirror that did not accept a session. Before the refresh, nothing is lost. After it, the mirror has a spent
    /// token. Running the same command again first updates the mirror, and refreshes only if needed.
    static func mirror(
        _ account: Account, _ moment: SessionMirror.Moment, _ failure: MirrorFailure
    ) -> Failure {
        let name = AccountText.name(account)
        let reason =
            switch failure {
            case .notStarted(let reason): "could not be started: \(reason.escapedForTerminal)"
            case .failed(let status): "ended with exit status \(status)"
            case .signalled(let signal): "was ended by signal \(signal)"
            case .timedOut: "did not end in time"
            case .superseded: "says that a newer session is stored"
            case .interrupted: "was interrupted"
            }
        // It may have said where to hand over to on its command line.
        let again = "run the same command again"
        return switch moment {
        case .before where failure == .superseded:
            Failure(
                .busy, "handover_superseded",
                "the --after-rotation command says that a newer session of \(name) is stored; it was not refreshed, and no "
                    + "token was used",
                hint: "import the stored session into a new vault, as a new run of the job does",
                account: name)
        case .before:
            Failure(
                .failure, "handover_refused",
                "the --after-rotation command \(reason); \(name) was not refreshed, and no token was used",
                hint: "fix the --after-rotation command, then \(again)", account: name)
        case .after:
            Failure(
                .failure, "handover_failed",
                "the session of \(name) was refreshed and saved in this vault, but the --after-rotation command "
                    + "\(reason); the copy stored elsewhere no longer works",
                hint: "fix the --after-rotation command, then, before this vault is deleted, \(again)",
                account: name)
        }
    }
}
