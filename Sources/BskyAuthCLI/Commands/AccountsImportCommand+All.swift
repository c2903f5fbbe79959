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
        let policy = try servers.policy()
        // The key of the vault is tried first, and once. A vault that does not exist yet is made for the first bundle that opens.
        var accounts = try CredentialVault.exists(at: context.vaultDirectory) ? context.accounts() : nil
        let key = try bundle.source(context, isNew: false)
        var report = TransferReport(schema: "bskyauth.import-all/1", done: "imported")
        var wrongKey: (error: BundleError, paths: [String])?
        for path in bundles {
            var one = self
            one.file = path
            func fail(_ failure: Failure) {
                let named = failure.naming([path.escapedForTerminal])
                report.append(nil, nil, path, named)
                context.console.tell(named)
            }
            let portable: PortableAccount
            do { portable = try await one.portable(try one.read(), key, servers) } catch {
                guard let error = error as? BundleError else {
                    fail(ErrorPresenter.failure(for: error))
                    continue
                }
                switch error {
                case .wrongPassphrase, .wrongKeyFile:
                    // One mistake makes one message, whatever the number of bundles.
                    wrongKey = (error, (wrongKey?.paths ?? []) + [path])
                    report.append(
                        nil, nil, path, ErrorPresenter.wrongKey(error, ofBundles: [path], in: file))
                default: fail(ErrorPresenter.failure(error, opening: path))
                }
                continue
            }
            // A vault that can't be made ends the command: no other bundle could be imported.
            let present = try accounts ?? context.accounts(createsVault: true)
            accounts = present
            do {
                // Which of several accounts is meant without a name is for the user to say.
                let (account, _, isActive) = try await ImportFlow(into: present, policy)
                    .add(portable, mayActivate: bundles.count == 1)
                one.say(account, isActive: isActive, of: path, context)
                report.append(account.id, account.handle?.description, path)
            } catch CoreError.takeover(.alreadyHere(let account)) {
                context.console.say(
                    "in the vault already: \(AccountText.name(account)); the bundle is no longer needed:  rm "
                        + path.escapedForTerminal.shellQuoted)
                report.append(account.id, account.handle?.description, path, status: "already_here")
            } catch {
                fail(ErrorPresenter.failure(for: error))
            }
        }
        if let (error, paths) = wrongKey {
            context.console.tell(ErrorPresenter.wrongKey(error, ofBundles: paths, in: file))
        }
        if let accounts, report.hasDone, try accounts.activeIfReadable().current == nil {
            context.console.say("no account is active; to choose one:  bskyauth switch ACCOUNT")
        }
        return report.document
    }
}
