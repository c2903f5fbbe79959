internal import ATPPlatform
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials

/// Checks everything that a login, a call or a refresh needs. It changes nothing.
struct Doctor {
    let context: CommandContext
    let servers: ServerAccess

    /// The findings, in an order in which an earlier failure may explain later ones.
    ///
    /// - Parameter selector: the account whose servers are checked; nil for all accounts.
    /// - Throws: the error of `selector`.
    func examine(_ selector: String?) async throws -> [Diagnosis] {
        var found = [Diagnosis.version]
        let way: DoctorNetwork?
        do { way = try DoctorNetwork(servers) } catch let error as any KnownError {
            found.append(.failed("settings", ErrorPresenter.failure(for: error)))
            way = nil
        }
        let core = try vault(way, &found)
        if let shared = core?.accounts.vault.sharedAccounts { found.append(await store(shared)) }
        found += try machine()
        guard let way else { return found }
        found += await way.examine()
        guard let core else { return found }
        return found + (try await accounts(core, selector))
    }

    // MARK: This machine

    /// - Returns: nil if no vault can be opened or no server can be reached.
    private func vault(_ way: DoctorNetwork?, _ found: inout [Diagnosis]) throws -> SessionEnvironment? {
        var part = "vault"
        do {
            let home = try context.vaultDirectory
            guard let summary = try summary(home) else {
                found.append(.noVault(home, FileSystem.obstacle(toWritingIn: home)))
                return nil
            }
            let obstacle = summary.directories.lazy.compactMap { FileSystem.obstacle(toWritingIn: $0) }.first
            if obstacle == nil { try CredentialVault.verifyLocks(at: home) }
            found.append(.vaultFolder(summary, obstacle))
            if let leftovers = leftovers(home) { found.append(leftovers) }
            part = "key"
            let core = try opened(way)
            found.append(.vaultOpens(summary))
            return core
        } catch let error as any KnownError {
            found.append(.failed(part, ErrorPresenter.failure(for: error)))
            return nil
        }
    }

    /// Opens the vault; without a way to the servers that is all.
    private func opened(_ way: DoctorNetwork?) throws -> SessionEnvironment? {
        if let way { return try servers.sessions(network: way.network) }
        _ = try context.openVault()
        return nil
    }

    /// nil without a vault.
    private func summary(_ home: String) throws(VaultError) -> VaultSummary? {
        do {
            return try CredentialVault.summary(at: home)
        } catch let error {
            guard case .noVault = error else { throw error }
            return nil
        }
    }

    /// nil if the vault has none.
    private func leftovers(_ home: String) -> Diagnosis? {
        do {
            let files = try CredentialVault.leftovers(at: home)
            return files.isEmpty ? nil : .leftovers(files)
        } catch let error {
            return .failed("leftovers", ErrorPresenter.failure(error))
        }
    }

    private func store(_ shared: SharedAccounts) async -> Diagnosis {
        do {
            try await shared.checkStore()
            return .store(shared.url, try await shared.machines())
        } catch let error {
            return .failed("store", ErrorPresenter.failure(error))
        }
    }

    private func machine() throws -> [Diagnosis] {
        let settings = context.settings
        return [
            .cacheFolder(
                settings.cacheDirectory, cacheProblem,
                settings.cacheDirectory.flatMap { FileSystem.obstacle(toWritingIn: $0) }),
            .keyring(keyringProblem), try pin(),
            .browser(BrowserCommand(command: settings.browser, environment: settings.environment)),
        ]
    }

    private var cacheProblem: FileAccessError? {
        guard let path = context.settings.cacheDirectory else { return nil }
        do {
            try PrivateDirectory.verify(path)
            return nil
        } catch let error {
            return error
        }
    }

    private var keyringProblem: SystemError? {
        do {
            try KernelKeyring.probe()
            return nil
        } catch let error {
            return error
        }
    }

    private func pin() throws -> Diagnosis {
        do {
            return .pin(try PinFile.nearest(context.settings))
        } catch let failure as Failure {
            return .failed("pin", failure)
        }
    }

    // MARK: Accounts

    private func reach(
        _ accounts: [(account: Account, session: Session)], _ core: SessionEnvironment
    ) async throws -> [ServerCheckFlow.Finding] {
        try await servers.concurrently(accounts.count) {
            try await ServerCheckFlow(core.network, until: core.criticalSection).reach(accounts)
        }
    }

    private func accounts(
        _ core: SessionEnvironment, _ selector: String?
    ) async throws -> [Diagnosis] {
        var accounts: [(account: Account, session: Session)] = []
        var found: [Diagnosis] = []
        if let selector {
            let account = try await context.one(selector, in: core.accounts)
            let session = try core.accounts.session(account.id)
            accounts = [(account, session)]
        } else {
            let entries = try await core.accounts.entries()
            for entry in entries {
                switch entry {
                case .account(let account, let session): accounts.append((account, session))
                case .unreadable(_, let error):
                    found.append(.failed("account", ErrorPresenter.failure(for: error)))
                }
            }
        }
        found += accounts.compactMap { account, session in
            Diagnosis.session(
                ErrorPresenter.concern(
                    account, session, unclear: core.accounts.unclearIntent(of: account.id, session),
                    now: context.now))
        }
        found += try await reach(accounts, core).map(Diagnosis.servers)
        return found
            + accounts.compactMap { account, session in
                core.accounts.answer(of: account.id, session, postponingAfter: context.now)
                    .map { Diagnosis.postponed(account, $0) }
            }
    }
}
