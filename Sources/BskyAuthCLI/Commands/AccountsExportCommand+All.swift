internal import ATPJSON
internal import ATPPlatform
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

extension AccountsExportCommand {
    /// The end of the names of bundles in a directory.
    static let bundleSuffix = ".bundle"

    /// Moves every account, one after the other, to a bundle of its own in a directory. An account that can't be moved stays
    /// here, and the others are moved.
    func exportAll(_ context: CommandContext, _ servers: ServerAccess) async throws {
        let core = try servers.local()
        // No account of a shared vault can be moved.
        if core.accounts.vault.isShared { throw VaultError.sharingRefused(.export) }
        let targets = try await AccountTargets(selectors: [], all: true, followsPins: false)
            .resolve(core.accounts, context)
        let active = ActiveText.current(core.accounts)
        // The last step before the export, because the user may have to choose a passphrase.
        let key = targets.accounts.isEmpty ? nil : try prepare(context)
        // A signal waits for the account that is being moved and for the report, and then the process ends here.
        core.criticalSection.enter()
        defer { core.criticalSection.leave() }
        var report = TransferReport(schema: "bskyauth.export-all/1", done: "moved")
        let keys =
            if let key { await move(targets.accounts, key, core, &report, context) } else { [String]() }
        for (id, error) in targets.unreadable {
            let failure = ErrorPresenter.failure(for: error)
            context.console.tell(failure)
            report.append(id, nil, nil, failure)
        }
        let console = context.console
        if report.isEmpty { console.say("no account is in the vault, so nothing was moved") }
        if active != nil, ActiveText.current(core.accounts) == nil {
            console.say(ActiveText.afterLogout(core.accounts))
        }
        if report.hasFailed, !keys.isEmpty {
            console.insist(
                "the bundles have the client key of \(keys.joined(separator: ", ")). An account that stayed here may use the same key: "
                    + "move it too, so that the key is on one machine")
        }
        if report.hasDone { console.say(nextStep(context)) }
        do { try await console.write(report.document) } catch let failure as Failure {
            // With a signal, the process ends before it can tell.
            if core.criticalSection.isInterrupted { console.report(failure) }
            throw failure
        }
    }

    /// Makes the directory, and asks for the key of the bundles.
    private func prepare(_ context: CommandContext) throws -> KeySource {
        let earlier = try makeDirectory()
        if earlier > 0 {
            context.console.insist(
                "\(to.escapedForTerminal) has \(earlier) \(earlier == 1 ? "bundle" : "bundles") of an earlier export. Delete those "
                    + "that were imported: to import one twice ends its session")
        }
        return try bundle.source(context, isNew: true)
    }

    /// Moves accounts until a signal comes.
    ///
    /// - Returns: the names of the moved accounts whose bundles have a client key.
    private func move(
        _ accounts: [Account], _ key: KeySource, _ core: LocalEnvironment, _ report: inout TransferReport,
        _ context: CommandContext
    ) async -> [String] {
        var keys: [String] = []
        var tried = 0
        for account in accounts where !core.criticalSection.isInterrupted {
            let file = self.file(of: account)
            let handle = account.handle?.description
            do {
                // All accounts go, so another account with the same client key is no reason to stay.
                let exported = try await ExportFlow(core).export(
                    account.id, to: file, for: key, keepsAccount: false, sharesKey: true,
                    overEarlier: true, lockTimeout: context.lockTimeout)
                tell(exported, in: file, core, context)
                if exported.session.credential.oauth?.client.isConfidential == true {
                    keys.append(AccountText.name(exported.account))
                }
                report.append(account.id, handle, file)
            } catch VaultError.cancelled {
                // The signal ended the wait for the account's lock.
                break
            } catch {
                let failure = ErrorPresenter.failure(for: error).naming([AccountText.name(account)])
                context.console.tell(failure)
                report.append(account.id, handle, file, failure)
            }
            tried += 1
        }
        guard tried < accounts.count else { return keys }
        let failure = interrupted(after: tried, of: accounts.count)
        context.console.tell(failure)
        for account in accounts.dropFirst(tried) {
            report.append(account.id, account.handle?.description, file(of: account), failure)
        }
        return keys
    }

    private func file(of account: Account) -> String {
        "\(FileSystem.withoutTrailingSlashes(to))/\(account.id.text)\(Self.bundleSuffix)"
    }

    /// What an interrupted export has done.
    private func interrupted(after count: Int, of all: Int) -> Failure {
        Failure(
            .interrupted, "interrupted",
            "interrupted: \(count) of \(all) accounts were tried, and each that moved has its bundle in \(to.escapedForTerminal). "
                + "The others are still here", hint: "to go on, run the same command again")
    }

    /// Makes the directory for the bundles. One that is there is used: it may have those that an interrupted export has made.
    ///
    /// - Returns: how many bundles it has.
    private func makeDirectory() throws -> Int {
        do throws(SystemError) {
            if try FileSystem.exists(to) {
                return try FileSystem.names(in: to).filter { $0.hasSuffix(Self.bundleSuffix) }.count
            }
        } catch {
            throw noDirectory(error.reason, hint: "ls -ld \(to.escapedForTerminal.shellQuoted)")
        }
        do { try PrivateDirectory.create(to) } catch {
            let parent = FileSystem.directory(of: FileSystem.withoutTrailingSlashes(to))
            throw noDirectory("it can't be made", hint: "ls -ld \(parent.escapedForTerminal.shellQuoted)")
        }
        return 0
    }

    private func noDirectory(_ reason: String, hint: String) -> Failure {
        Failure(
            .failure, Failure.outputFailed,
            "\(to.escapedForTerminal) can't be used as the directory of the bundles, so nothing was moved (\(reason))",
            hint: hint)
    }
}

/// What became of each account of an export or an import of several.
struct TransferReport {
    let schema: String
    /// The status of an account that was exported or imported.
    let done: String
    private var results: [JSONValue] = []
    private var failures: [Failure] = []
    private(set) var hasDone = false
    var hasFailed: Bool { !failures.isEmpty }

    init(schema: String, done: String) {
        (self.schema, self.done) = (schema, done)
    }

    var isEmpty: Bool { results.isEmpty }

    /// - Parameter file: the bundle; nil if there can be none.
    mutating func append(
        _ id: UUID?, _ handle: String?, _ file: String?, _ failure: Failure? = nil, status: String? = nil
    ) {
        if let failure { failures.append(failure) } else { hasDone = true }
        results.append([
            "id": JSONValue(id?.text), "handle": JSONValue(handle), "file": JSONValue(file),
            "status": .string(status ?? (failure == nil ? done : "failed")),
            "error": JSONValue(failure?.code),
        ])
    }

    /// The results with `--json`. The command ends with the first failure that is not temporary, or else the first. People have
    /// been told.
    var document: Document {
        Document(
            ["schema": .string(schema), "results": .array(results)],
            failure: failures.first { !$0.status.isRetryable } ?? failures.first)
    }
}
