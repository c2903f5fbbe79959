internal import ATPPlatform
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore

extension AccountsImportCommand {
    /// The bundles in the directory that the argument names, in the order of their names; nil if it is no directory.
    func bundles() throws -> [String]? {
        guard !InputFile.isDescriptor(file) else { return nil }
        let names: [String]
        // What is no directory is read as a bundle, which tells why it can't be read.
        do { names = try FileSystem.names(in: file) } catch { return nil }
        let directory = FileSystem.withoutTrailingSlashes(file)
        let bundles = names.filter { $0.hasSuffix(AccountsExportCommand.bundleSuffix) }.sorted()
        guard !bundles.isEmpty else {
            throw Failure(
                .failure, "empty_file",
                "the directory \(file.escapedForTerminal) has no file that ends with .bundle, so nothing was imported",
                hint: "ls -l \(file.escapedForTerminal.shellQuoted)")
        }
        return bundles.map { "\(directory)/\($0)" }
    }

    /// Imports bundles, one after the other. One that can't be imported stays, and the others are imported.
    func importAll(
        _ bundles: [String], _ context: CommandContext, _ servers: ServerAccess
    ) async throws -> Document {
        guard minGeneration == nil else {
            throw Failure.usage("--min-generation is for one bundle, not for a directory")
        }
        let key = try bundle.source(context, isNew: false)
        var report = TransferReport(schema: "bskyauth.import-all/1", done: "imported")
        var accounts: VaultAccounts?
        var wrongKey: (failure: Failure, names: [String])?
        for path in bundles {
            var one = self
            one.file = path
            do {
                let account: Account
                let isActive: Bool
                // Which of several accounts is meant without a name is for the user to say.
                (account, _, isActive) = try await one.add(
                    try one.read(), key, servers, &accounts, mayActivate: bundles.count == 1)
                one.say(account, isActive: isActive, of: path, context)
                report.append(account.id, account.handle?.description, path)
            } catch CoreError.takeover(.alreadyHere(let account)) {
                context.console.say(
                    "in the vault already: \(AccountText.name(account)); the bundle is no longer needed:  rm "
                        + path.escapedForTerminal.shellQuoted)
                report.append(account.id, account.handle?.description, path, status: "already_here")
            } catch {
                let failure = ErrorPresenter.failure(for: error)
                let named = failure.naming([path.escapedForTerminal])
                report.append(nil, nil, path, named)
                // One mistake makes one message, whatever the number of bundles.
                if failure.isWrongBundleKey {
                    wrongKey = (
                        wrongKey?.failure ?? failure, (wrongKey?.names ?? []) + [path.escapedForTerminal]
                    )
                } else {
                    context.console.tell(named)
                }
            }
        }
        if let wrongKey { context.console.tell(wrongKey.failure.naming(wrongKey.names)) }
        if let accounts, report.hasDone, try accounts.activeIfReadable().current == nil {
            context.console.say("no account is active; to choose one:  bskyauth switch ACCOUNT")
        }
        return report.document
    }
}

extension Failure {
    /// Whether the key that was given for all bundles does not open one.
    fileprivate var isWrongBundleKey: Bool { ["wrong_passphrase", "wrong_key_file"].contains(code) }
}
