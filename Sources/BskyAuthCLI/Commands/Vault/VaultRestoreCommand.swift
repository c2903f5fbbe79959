internal import ATPJSON
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials

struct VaultRestoreCommand: OfflineCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore damaged files from their second copies.",
        discussion: """
            Each record and vault.json have a second copy. Files that are not damaged stay as they are. Damaged \
            second copies are written again, and files that a killed command left behind are removed. A finished \
            login that was interrupted before it was saved is saved now.
            """)

    @Argument(
        help: ArgumentHelp(
            "The accounts, by UUID or the beginning of the UUID (default: all).", valueName: "uuid"))
    var ids: [String] = []

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext) async throws -> Document {
        let home = try context.vaultDirectory
        var done: [Restoration] = []
        let header = try CredentialVault.restoreHeader(at: home)
        if let header {
            if case .left(let error) = header.outcome { throw ErrorPresenter.unrestored(error, of: nil) }
            done.append(header)
            // Print this now, because the next step needs a key and may fail.
            context.console.say(header.words)
        }
        let told = done.count
        let vault = try context.openVault()
        let store = VaultAccounts(vault, log: context.console.log)
        let accounts = try targets(vault)
        let copy = try vault.restoreHeaderCopy()
        if let copy { done.append(copy) }
        done += try vault.discardLeftovers()
        for id in accounts {
            do {
                let lock = try await store.lock(id, timeout: context.lockTimeout)
                done += try vault.restore(id, under: lock)
            } catch let error {
                // An account that is in use or unsafe must not prevent the repair of others.
                let directory = vault.directory(of: id)
                done.append(Restoration(account: id, file: directory, outcome: .left(error)))
            }
        }
        done += try vault.discardDamagedLogins()
        done += try vault.restoreClients()
        var unmended = try repairNames(store, &done)
        if ids.isEmpty, unmended == nil { unmended = try await finishLogins(store, &done, context) }
        var failures: [Failure] = []
        for item in done.dropFirst(told) {
            if case .left(let error) = item.outcome {
                failures.append(ErrorPresenter.unrestored(error, of: item.account))
            } else {
                context.console.say(item.words)
            }
        }
        failures.forEach(context.console.tell)
        let (results, error) = (done, unmended)
        return Document(
            ["schema": "bskyauth.vault-restore/1", "results": .array(results.map(\.json))],
            failure: failures.first,
            afterwards: {
                if let error { throw error }
                if results.isEmpty { context.console.say("nothing to restore") }
            })
    }

    /// Rebuilds the index of names if it is damaged.
    ///
    /// - Returns: the error that prevents the rebuild. It is reported after the results.
    private func repairNames(_ accounts: VaultAccounts, _ done: inout [Restoration]) throws -> Failure? {
        do {
            done += try accounts.rebuildNames()
            return nil
        } catch let error {
            return ErrorPresenter.failure(for: error)
        }
    }

    /// Saves the logins that were killed while they waited for their accounts.
    ///
    /// - Returns: the error that prevents this. It is reported after the results.
    private func finishLogins(
        _ accounts: VaultAccounts, _ done: inout [Restoration], _ context: CommandContext
    ) async throws -> Failure? {
        do {
            let finished = try await accounts.finishKeptLogins(at: context.now) {
                holder async throws(VaultError) in
                try await accounts.lock(holder.id, timeout: context.lockTimeout)
            }
            done += finished.accounts.map {
                Restoration(
                    account: $0.id, file: accounts.vault.directory(of: $0.id), outcome: .loginFinished)
            }
            return finished.failure.map { ErrorPresenter.failure(for: $0) }
        } catch let error as any KnownError {
            return ErrorPresenter.failure(for: error)
        }
    }

    private func targets(_ vault: CredentialVault) throws -> [UUID] {
        let all = try vault.accountsAndRemains()
        guard !ids.isEmpty else { return all }
        var targets: [UUID] = []
        for text in ids {
            let found = all.filter { $0.text.hasPrefix(text.lowercased()) }
            guard found.count == 1 else { throw ErrorPresenter.noSuchDirectory(text) }
            if !targets.contains(found[0]) { targets.append(found[0]) }
        }
        return targets
    }
}

extension Restoration {
    fileprivate var words: String {
        switch outcome {
        case .restored(mayBeSpent: false): "restored: \(file.escapedForTerminal)"
        case .restored(mayBeSpent: true):
            "restored: \(file.escapedForTerminal); its refresh token may already be used, which the next refresh will show"
        case .copyRenewed: "second copy written again: \(file.escapedForTerminal)"
        case .discarded: "removed: \(file.escapedForTerminal), which was damaged and is not needed"
        case .leftoverRemoved: "removed: \(file.escapedForTerminal), which a killed command left behind"
        case .loginFinished:
            "saved: the new session of an interrupted login, in \(file.escapedForTerminal); an earlier session was not ended at its server"
        case .left: "not restored: \(file.escapedForTerminal)"
        }
    }

    fileprivate var json: JSONValue {
        let (name, mayBeSpent, error): (String, Bool, VaultError?) =
            switch outcome {
            case .restored(let mayBeSpent): ("restored", mayBeSpent, nil)
            case .copyRenewed: ("copy_renewed", false, nil)
            case .discarded: ("discarded", false, nil)
            case .leftoverRemoved: ("leftover_removed", false, nil)
            case .loginFinished: ("login_finished", false, nil)
            case .left(let error): ("left", false, error)
            }
        return [
            "account": JSONValue(account?.text),
            "file": .string(file),
            "outcome": .string(name),
            "may_be_spent": .bool(mayBeSpent),
            "error": JSONValue(error.map { ErrorPresenter.unrestored($0, of: account).code }),
        ]
    }
}
