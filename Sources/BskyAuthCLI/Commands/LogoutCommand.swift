internal import ATPJSON
internal import ATPNetworking
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials

struct LogoutCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Log out: end sessions at their servers and remove the accounts from the vault.")

    @Argument(
        help: ArgumentHelp(
            "The accounts. Without one, you are asked whether the active account is meant.",
            valueName: "account"),
        completion: .account)
    var selectors: [String] = []

    @Flag(help: "Log out of every account.")
    var all = false

    @Flag(name: .shortAndLong, help: "Don't ask for confirmation.")
    var yes = false

    @Flag(help: "Remove the account here only. The session at the server stays until it ends by itself.")
    var localOnly = false

    @Flag(help: "Keep the account if its server does not confirm that the session has ended.")
    var strict = false

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws {
        guard !all || (selectors.isEmpty && global.account == nil) else {
            throw Failure.usage("name accounts or use --all, not both")
        }
        var outcomes: [Outcome] = []
        var named: [String] = []
        // Opened once: its key may come from a descriptor, which can only be read once.
        var opened: VaultAccounts?
        for selector in selectors {
            // An account that can't be opened can still be removed by its UUID and without a key. This is refused if -a
            // has another name, because that name can't be checked.
            let isPlain = global.account == nil || global.account == selector
            if localOnly, isPlain, try removeUnreadable(selector, context, &opened, &outcomes) { continue }
            named.append(selector)
        }
        if outcomes.isEmpty || !named.isEmpty { try await logout(named, servers, opened, &outcomes) }
        if global.json {
            let results = outcomes.map(\.json)
            try context.console.write(["schema": "bskyauth.logout/1", "results": .array(results)])
        }
        if let failure = outcomes.lazy.compactMap(\.failure).first {
            throw global.json ? failure : failure.told
        }
    }

    /// The result for one account.
    private struct Outcome {
        let id: String
        let revoked: LogoutFlow.Revocation
        let failure: Failure?

        var json: JSONValue {
            ["id": .string(id), "revoked": .string(revokedText), "error": JSONValue(failure?.code)]
        }

        private var revokedText: String {
            switch revoked {
            case .answered(let answer): answer.rawValue
            case .failed: "failed"
            case .localOnly, .withoutTokens: "local-only"
            }
        }
    }

    private func logout(
        _ named: [String], _ servers: ServerAccess, _ opened: VaultAccounts?, _ outcomes: inout [Outcome]
    ) async throws {
        let context = servers.context
        let sessions = localOnly ? nil : try servers.sessions()
        let core = try sessions?.local ?? servers.local(opened)
        let targets = try await AccountTargets(selectors: named, all: all, followsPins: false)
            .resolve(core.accounts, context)
        try confirm(targets.accounts, isNamed: !named.isEmpty, core.accounts, context)
        let active = ActiveText.current(core.accounts)
        for account in targets.accounts {
            // Read this before the account is removed.
            let rest = AccountText.rest(account, session(account, core), now: context.now)
            do {
                let revocation = try await logout(account.id, sessions, core, context.lockTimeout)
                context.console.say(
                    words(revocation, AccountText.removedName(account, from: core.accounts), rest))
                if revocation == .failed,
                    !outcomes.contains(where: { $0.revoked == .failed && $0.failure == nil })
                {
                    context.console.say(
                        "  logout --strict keeps an account in such a case, so that it can be tried again")
                }
                outcomes.append(Outcome(id: account.id.text, revoked: revocation, failure: nil))
            } catch let error as any KnownError {
                var failure = ErrorPresenter.failure(for: error)
                if case SessionFailure.clientKeyMissing = error {
                    failure.hint = "bskyauth logout --local-only \(AccountText.selector(account))"
                }
                fail(account.id, failure, context, &outcomes)
            }
        }
        if active != nil, ActiveText.current(core.accounts) == nil {
            context.console.say(ActiveText.afterLogout(core.accounts))
        }
        for (id, error) in targets.unreadable {
            fail(id, ErrorPresenter.failure(for: error), context, &outcomes)
        }
    }

    /// Asks before a logout of all accounts, and before the logout of the active account if no account was named.
    private func confirm(
        _ accounts: [Account], isNamed: Bool, _ store: VaultAccounts, _ context: CommandContext
    ) throws {
        let options = (localOnly ? " --local-only" : "") + (strict ? " --strict" : "")
        let isMeant: Bool
        if all, !yes, !accounts.isEmpty {
            let what = accounts.count == 1 ? AccountText.name(accounts[0]) : "\(accounts.count) accounts"
            isMeant = try context.confirm(
                "Log out of \(what)?", sayingYes: "bskyauth logout --all --yes\(options)")
        } else if !all, !isNamed, global.account == nil, context.settings.account == nil,
            let account = accounts.first
        {
            // --yes does not say which account.
            let answer = try context.answer(to: "Log out of \(AccountText.name(account))?")
            guard let answer else {
                throw ErrorPresenter.logoutNotNamed(AccountText.selector(account, in: store), options)
            }
            isMeant = answer
        } else {
            return
        }
        guard isMeant else { throw Failure(.declined, "declined", "nothing was logged out") }
    }

    /// - Parameter sessions: nil to remove the account here only.
    private func logout(
        _ id: UUID, _ sessions: SessionEnvironment?, _ core: LocalEnvironment, _ lockTimeout: Duration
    ) async throws -> LogoutFlow.Revocation {
        guard let sessions else {
            return try await core.removeAccount(id, lockTimeout: lockTimeout)
        }
        return try await LogoutFlow(sessions).logout(id, isStrict: strict, lockTimeout: lockTimeout)
    }

    /// nil if the session can't be opened, which must not stop the logout.
    private func session(_ account: Account, _ core: LocalEnvironment) -> Session? {
        try? core.accounts.session(account.id)
    }

    private func fail(
        _ id: UUID, _ failure: Failure, _ context: CommandContext, _ outcomes: inout [Outcome]
    ) {
        if !global.json { context.console.report(failure) }
        outcomes.append(Outcome(id: id.text, revoked: .failed, failure: failure))
    }

    /// Removes an account that is named by its UUID, if it is damaged or if its vault can't be opened without a key. In
    /// the second case it asks first. False if the account is undamaged or does not exist.
    private func removeUnreadable(
        _ selector: String, _ context: CommandContext, _ opened: inout VaultAccounts?,
        _ outcomes: inout [Outcome]
    ) throws -> Bool {
        guard let id = UUID(uuidString: selector), try isUnreadable(id, context, &opened) else {
            return false
        }
        let home = try context.settings.vaultDirectory(flag: global.home)
        try CredentialVault.removeUnreadable(id, at: home)
        context.console.say("removed account \(id.text), which could not be opened")
        outcomes.append(Outcome(id: id.text, revoked: .localOnly, failure: nil))
        return true
    }

    private func isUnreadable(
        _ id: UUID, _ context: CommandContext, _ opened: inout VaultAccounts?
    ) throws -> Bool {
        let accounts: VaultAccounts
        do {
            accounts = if let opened { opened } else { try context.accounts() }
            opened = accounts
        } catch let error as any KnownError {
            // A missing or wrong key may be a mistake, so ask before the account is removed.
            let failure = ErrorPresenter.failure(for: error)
            guard failure.status == .vaultLocked else { throw failure }
            context.console.report(failure)
            if yes { return true }
            let command = "bskyauth logout \(id.text) --local-only --yes"
            guard
                try context.confirm("Remove account \(id.text) without opening it?", sayingYes: command)
            else {
                throw failure.told
            }
            return true
        }
        do {
            _ = try accounts.account(id)
            return false
        } catch let error {
            return error.isDamage
        }
    }

    private func words(
        _ revocation: LogoutFlow.Revocation, _ name: String, _ rest: String
    ) -> String {
        switch revocation {
        case .answered(.accepted), .answered(.confirmed): "logged out: \(name)"
        case .answered(.unclear):
            "logged out: \(name); the server does not say whether the session there ended"
        case .localOnly: "removed \(name) here; its session at the server was not ended"
        case .withoutTokens: "removed \(name) here; its tokens had been removed before"
        case .failed:
            "removed \(name) here; its server did not confirm the logout, so the session there \(rest)"
        }
    }
}
