internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import ATProtoXRPC
internal import BskyAuthCore
internal import FoundationEssentials

/// Failures about names that may select an unexpected account.
extension ErrorPresenter {
    /// `-a` and a command's own argument that name two accounts.
    static func notOneAccount(option: Account, argument: Account) -> Failure {
        Failure(
            .usage, "two_accounts",
            "-a names \(AccountText.name(option)), but the argument names \(AccountText.name(argument)); "
                + "name one of them; nothing was done",
            hint: "bskyauth accounts")
    }

    static func unknownAccount(_ text: String, _ known: [Account]) -> Failure {
        let names = known.flatMap { [$0.label, $0.handle?.description].compactMap(\.self) }
        let question =
            text.nearest(of: names, within: min(3, max(1, text.count / 2))).map {
                "did you mean \($0.escapedForTerminal)?"
            }
            ?? "choose one:  \(AccountText.choices(known, option: ""))"
        return Failure(
            .unknownAccount, "unknown_account",
            "there is no account \"\(text.escapedForTerminal)\" in the vault; \(question)",
            hint: "bskyauth accounts")
    }

    /// The argument of `login` is no account. A password in its place is not repeated.
    static func notALogin(_ text: String, _ error: InvalidLoginIdentifier) -> Failure {
        if AppPasswordReader.looksLikeAppPassword(text) { return passwordInArguments }
        let shown = text.escapedForTerminal
        if error == .notAnOrigin {
            return notALogin(shown, what: "the address of a page", handle(inPage: text))
        }
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        if parts.count == 2, !parts[0].isEmpty, (try? Handle(validating: parts[1])) != nil {
            return Failure(
                .usage, "usage",
                "\"\(shown)\" is an e-mail address; log in with the handle of the account, which the app shows in its "
                    + "profile, such as alice.bsky.social", hint: "bskyauth login HANDLE")
        }
        guard error == .account(.handle(InvalidHandle(.singleLabel))) else {
            return .usage("\"\(shown)\" is not a handle, a DID or a server URL")
        }
        let name = shown.split(whereSeparator: { "@/ ".contains($0) }).last ?? ""
        return Failure(
            .usage, "usage", "\"\(shown)\" is not a whole handle; write it with its domain",
            hint: "bskyauth login \(name).bsky.social")
    }

    /// The website of Bluesky, which is no server of accounts: its users have theirs elsewhere.
    static func websiteIsNoServer(_ text: String) -> Failure {
        notALogin(text.escapedForTerminal, what: "the website of Bluesky", nil)
    }

    static let website = "bsky.app"

    private static func notALogin(_ shown: String, what: String, _ handle: String?) -> Failure {
        Failure(
            .usage, "usage",
            "\"\(shown)\" is \(what), not an account or its server; log in with the handle of the account",
            hint: "bskyauth login \(handle ?? "HANDLE")")
    }

    /// The account in the address of a profile at any website, as `/profile/HANDLE`.
    private static func handle(inPage address: String) -> String? {
        let parts = address.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
        guard let place = parts.firstIndex(of: "profile"), place + 1 < parts.count else { return nil }
        return (try? ATIdentifier(validating: parts[place + 1]))?.description
    }

    static let passwordInArguments = Failure(
        .usage, "password_in_arguments",
        "an app password can't be an argument, because other users and the shell's history can read it there; "
            + "revoke it, and make another one",
        hint: "bskyauth login HANDLE --app-password")

    /// `-a` with the list of all accounts.
    static func listOfOneAccount(_ name: String) -> Failure {
        Failure(
            .usage, "usage", "accounts lists every account, so it can't be used with -a",
            hint: "bskyauth accounts show \(name.escapedForTerminal.shellQuoted)")
    }

    /// `-a` with a login, which takes its account as an argument.
    static func loginOfOption(_ name: String, _ identifier: String?) -> Failure {
        let shown = (identifier ?? name).escapedForTerminal.shellQuoted
        return Failure(
            .usage, "usage",
            "login takes the account as its argument and a new label with --label, so it can't be used with -a",
            hint: AppPasswordReader.looksLikeAppPassword(identifier ?? name)
                ? "bskyauth login HANDLE" : "bskyauth login \(shown)")
    }

    /// `logout` without an account, where no user can be asked whether the active one is meant.
    static func logoutNotNamed(_ selector: String, _ options: String) -> Failure {
        Failure(
            .usage, "account_not_named", "the account to log out of is not named",
            hint: "bskyauth logout \(selector)\(options)")
    }

    /// A record that another version of the program wrote.
    static func unreadableRecord(_ id: UUID, _ error: UnreadableRecord) -> Failure {
        Failure(
            .vaultDamaged, "unreadable_record",
            "the record of account \(id.text) opens, but its content can't be read (\(error.member)): "
                + "another version of bskyauth or another program wrote it; the other accounts are not affected",
            hint: "update bskyauth", account: id.text)
    }

    /// An account whose DID and label another one has.
    static func loginTaken(_ account: Account) -> Failure {
        Failure(
            .usage, "slot_taken",
            "\(AccountText.name(account)) is already in the vault; to have both, give this one another label",
            hint: "bskyauth accounts rename \(AccountText.selector(account)) LABEL")
    }

    /// An account whose DID names another server than that of its session. The login resolves it anew.
    ///
    /// - Parameter terms: nil if its session can't be read any more.
    /// - Parameter error: the answer of the earlier server; nil without one.
    static func moved(
        _ account: Account, _ terms: LoginTerms?, to server: Origin, answering error: XRPCError? = nil
    ) -> Failure {
        let name = AccountText.name(account)
        return Failure(
            .loginNeeded, "account_moved",
            "the account \(name) has moved to \(server.authority); its session is of its earlier server, \(account.pds.authority)",
            hint: "log in there:  "
                + (terms.map { AccountText.loginCommand(account, $0) } ?? AccountText.loginCommand(account)),
            account: name, http: error?.status, serverError: error?.name)
    }

    /// A label that would stand for another account.
    static func labelTaken(_ label: String, by id: UUID) -> Failure {
        Failure(
            .usage, "label_taken",
            "\"\(label.escapedForTerminal)\" is already the handle, DID or UUID of another account (\(id.text.prefix(8))); "
                + "choose another label",
            hint: "bskyauth accounts")
    }

    /// A UUID, or the beginning of one, that names no directory of the vault or several.
    static func noSuchDirectory(_ text: String) -> Failure {
        Failure(
            .unknownAccount, "unknown_account",
            "\"\(text.escapedForTerminal)\" is the beginning of no account's UUID, or of several",
            hint: "bskyauth vault verify")
    }
}

/// Accounts that could not be removed.
extension ErrorPresenter {
    /// An account that stays, though the step that comes before its removal is done. Both are said.
    static func notRemoved(
        _ account: Account, after step: RemovalStep, isEnded: Bool, _ failure: Failure
    ) -> Failure {
        let name = AccountText.name(account)
        // The whole UUID names an account that has lost its profile, too.
        let logout = "bskyauth logout \(isEnded ? account.id.text : AccountText.selector(account))"
        let reason = "can't be removed here: \(failure.message)"
        let (message, hint) =
            switch step {
            case .logout(let revocation):
                (
                    "\(ended(revocation, name)); the account \(reason)",
                    isEnded ? "\(logout) --local-only" : logout
                )
            case .export(let file) where isEnded:
                (
                    "the session of \(name) has moved to \(file.escapedForTerminal), which works: import it on the other "
                        + "machine. The files of the account \(reason)", "\(logout) --local-only"
                )
            case .export(let file):
                (
                    "\(file.escapedForTerminal) has the session of \(name) and works, and the account \(reason). The machine "
                        + "that refreshes second ends the session on both: delete the file, or import it and don't use the "
                        + "account here", "rm \(file.escapedForTerminal.shellQuoted)"
                )
            case .none where isEnded:
                (
                    "the tokens of \(name) are removed here, and its session at the server was not ended; the files of the "
                        + "account \(reason)", "\(logout) --local-only"
                )
            case .none: ("\(name) \(reason)", failure.hint ?? "\(logout) --local-only")
            }
        return Failure(failure.status, "not_removed", message, hint: hint, account: name)
    }

    private static func ended(_ revocation: LogoutFlow.Revocation, _ name: String) -> String {
        switch revocation {
        case .answered(.accepted), .answered(.confirmed): "the session of \(name) ended at its server"
        case .answered(.unclear): "the server of \(name) does not say whether the session ended"
        case .failed: "the server of \(name) did not confirm the logout"
        case .localOnly: "the session of \(name) at its server was not ended"
        case .withoutTokens: "the tokens of \(name) had been removed here before"
        }
    }
}
