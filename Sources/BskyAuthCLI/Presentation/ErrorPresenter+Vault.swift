internal import ATPPlatform
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthCore
internal import FoundationEssentials

extension ErrorPresenter {
    static func failure(_ error: VaultError) -> Failure {
        func locked(_ code: String, _ message: String, _ hint: String) -> Failure {
            Failure(.vaultLocked, code, message, hint: hint)
        }
        func damaged(_ code: String, _ message: String, _ hint: String) -> Failure {
            Failure(.vaultDamaged, code, message, hint: hint)
        }
        switch error {
        case .noVault(let home):
            return Failure(
                .loginNeeded, "no_vault", "there is no vault in \(home.escapedForTerminal) yet",
                hint: "bskyauth login HANDLE")
        case .noDirectory(let home):
            return Failure(
                .usage, "no_directory",
                "\(home.escapedForTerminal) is not a directory, so no vault can be created there",
                hint: "bskyauth --home DIR …")
        case .locked:
            return locked(
                "vault_locked", "the vault is locked and no key was given",
                "set BSKYAUTH_KEY_FILE or BSKYAUTH_PASSPHRASE_FILE, or run: bskyauth vault unlock")
        case .unlockEnded(let end):
            return locked(
                "vault_locked",
                "the vault is locked: the time of vault unlock was over \(TimeText.relative(end, to: Date()))",
                "bskyauth vault unlock")
        case .wrongPassphrase:
            return locked(
                "wrong_passphrase", "wrong passphrase for the vault",
                "correct it, or remove it from the command line and the environment and run: bskyauth vault unlock"
            )
        case .wrongKeyFile(let path):
            return locked(
                "wrong_key_file", "the key file \(path.escapedForTerminal) does not open the vault",
                "bskyauth --key-file FILE …")
        case .keyFileMissing(let path):
            return locked(
                "key_file_missing", "the key file \(path.escapedForTerminal) does not exist",
                "bskyauth --key-file FILE …")
        case .keyFileUnusable(let path):
            return locked(
                "key_file_unusable",
                "\(path.escapedForTerminal) is not a valid key file: it must have 32 bytes, and other users must not have access",
                "ls -l \(path.escapedForTerminal.shellQuoted)")
        case .noSuchSlot:
            return locked(
                "no_such_slot", "the vault has no key of this kind",
                "bskyauth vault status")
        case .noSuchKey(let name, let known):
            let names = known.map(\.escapedForTerminal).joined(separator: ", ")
            return Failure(
                .usage, "no_such_key",
                "the vault has no such key: \"\(name.escapedForTerminal)\"; possible keys: \(names)",
                hint: "bskyauth vault status")
        case .keyNameTaken(let name):
            return Failure(
                .usage, "key_name_taken", "the vault already has a key called \"\(name.escapedForTerminal)\"",
                hint: "bskyauth vault add-key --label NAME")
        case .keyFileAdded(let path, let name):
            return Failure(
                .usage, "key_file_taken",
                "\(path.escapedForTerminal) already opens the vault, as \"\(name.escapedForTerminal)\"",
                hint: "bskyauth vault add-key --new-key-file ANOTHER")
        case .lastKey(let name):
            return Failure(
                .usage, "last_key",
                "\"\(name.escapedForTerminal)\" is the last key of the vault and can't be removed",
                hint: "bskyauth vault add-key")
        case .tooManyKeys(let limit):
            return Failure(
                .usage, "too_many_keys", "the vault has \(limit) keys, which is the limit",
                hint: "bskyauth vault remove-key LABEL")
        case .damaged(let file, let reason):
            return error.damagedRow.map { damagedRow($0, reason) } ?? damage(to: file, reason)
        case .unreadableRecord(let id, let error): return unreadableRecord(id, error)
        case .loginTaken(let account): return loginTaken(account)
        case .labelTaken(let label, let id): return labelTaken(label, by: id)
        case .newerFormat(let file, let found):
            return damaged(
                "newer_format",
                "\(file.escapedForTerminal) was written by a newer bskyauth (format \(found))",
                "update bskyauth")
        case .unsafePermissions(let path, let mode):
            return damaged(
                "unsafe_permissions",
                "\(path.escapedForTerminal) can be read or written by others (mode \(String(mode, radix: 8)))",
                "chmod go-rwx \(path.escapedForTerminal.shellQuoted)")
        case .foreignOwner(let path):
            return damaged(
                "foreign_owner", "\(path.escapedForTerminal) belongs to another user",
                "ls -l \(path.escapedForTerminal.shellQuoted)")
        case .keyFileOpen(let path, let problem): return openKeyFile(path, problem)
        case .symlink(let path):
            return damaged(
                "symlink", "\(path.escapedForTerminal) is a symbolic link, which is not followed",
                "ls -ld \(path.escapedForTerminal.shellQuoted)")
        case .headerMissing(let home):
            return damaged(
                "header_missing",
                "\(home.escapedForTerminal) has accounts but no vault.json; nothing was changed",
                "bskyauth vault restore")
        case .replaced(let path, let present): return replaced(path, nowAt: present)
        case .overtaken:
            return Failure(
                .busy, "busy", "another process stored a new session of this account during the refresh",
                hint: "run the command again")
        case .keyChanged:
            return Failure(
                .busy, "vault_key_changed", "another process changed the keys of the vault at the same time",
                hint: "run the command again")
        case .busy(let holder):
            let who = holder.map { "process \($0)" } ?? "another process"
            return Failure(
                .busy, "busy", "\(who) is using this account and did not finish in time",
                hint: "run the command again, or wait longer: --lock-timeout 60s")
        case .noSuchAccount(let id):
            return Failure(
                .unknownAccount, "unknown_account", "there is no account \(id.text) in the vault",
                hint: "bskyauth accounts")
        case .exists(let home):
            return Failure(.failure, "vault_exists", "there is already a vault in \(home.escapedForTerminal)")
        case .keyringUnavailable(let error):
            return Failure(
                .failure, "keyring_unavailable",
                "the kernel keyring can't be used (\(error.operation): \(error.reason)), as in many containers",
                hint: "use a key file instead: bskyauth vault add-key --new-key-file FILE")
        case .keyFileUnwritable(let error): return disk(error)
        case .unwritable(let error): return unwritable(error)
        case .io(let error):
            let failure = disk(error)
            guard error.isDenied else { return failure }
            return damaged("vault_access", failure.message, failure.hint ?? "")
        case .cryptography(let error): return failure(error)
        case .shared: return sharedElsewhere
        case .sharingChanged: return sharingChanged
        case .sharingRefused(let refusal): return failure(refusal)
        case .storeURL(let url, let reason): return storeURL(url, reason)
        case .store(let error): return failure(error)
        case .storeWentBack(let id): return storeWentBack(id)
        case .repairing(let repair): return repairing(repair)
        case .claimed(let claim): return claimed(claim)
        case .cancelled: return Failure(.interrupted, "interrupted", "interrupted")
        }
    }

    /// The directory of an account was moved away during a refresh. Only that directory has the valid tokens.
    private static func replaced(_ path: String, nowAt present: String?) -> Failure {
        let home = present.map { FileSystem.directory(of: FileSystem.directory(of: $0)) }
        return Failure(
            .vaultDamaged, "vault_replaced",
            "\(path.escapedForTerminal) was replaced by a copy during a refresh; the copy's token is spent, so do not use it; "
                + "the new tokens are in \(present?.escapedForTerminal ?? "the directory that was moved away")",
            hint: home.map { "bskyauth accounts --home \($0.escapedForTerminal.shellQuoted)" }
                ?? "bskyauth vault verify")
    }

    static func answerNotKept(_ error: VaultError) -> Failure {
        let failure = Self.failure(error)
        switch error {
        case .replaced, .overtaken: return failure
        default: break
        }
        return Failure(
            failure.status, failure.code,
            "the server refreshed the session, but the new tokens could not be saved, so the session may be lost: "
                + failure.message,
            hint: failure.hint)
    }

    /// What the system says of a file. The file need not be there; its directory is.
    static func disk(_ error: SystemError) -> Failure {
        let what = "\(error.path.escapedForTerminal): \(error.operation) failed: \(error.reason)"
        let directory = FileSystem.directory(of: error.path).escapedForTerminal.shellQuoted
        if error.isDiskFull { return Failure(.failure, "disk_full", what, hint: "df -h \(directory)") }
        if error.isReadOnly {
            return Failure(.failure, "disk_read_only", what, hint: "findmnt --target \(directory)")
        }
        if error.saysNoLocks {
            return Failure(
                .failure, "no_locks",
                "\(what): this file system has no locks that keep other processes out, as many network file systems, "
                    + "so the vault can't be used there",
                hint: "keep the vault on a local disk; to see the file system:  findmnt --target \(directory)"
            )
        }
        return Failure(.failure, "io", what, hint: "ls -ld \(directory)")
    }

    /// The vault is intact, but this user can't change it.
    private static func unwritable(_ error: SystemError) -> Failure {
        Failure(
            .failure, error.isReadOnly ? "disk_read_only" : "vault_unwritable",
            "the vault can't be changed: \(disk(error).message)", hint: disk(error).hint)
    }

    /// The directory of the vault can't be written.
    static func unwritableVault(_ error: SystemError) -> Failure {
        let failure = Self.failure(VaultError(writing: error))
        return Failure(
            failure.status, failure.code,
            "no file can be created in \(error.path.escapedForTerminal): \(error.reason)",
            hint: wayToSee(error))
    }

    /// The command that shows why a directory can't be written.
    static func wayToSee(_ error: SystemError) -> String {
        let path = error.path.escapedForTerminal.shellQuoted
        return error.isReadOnly ? "findmnt --target \(path)" : "ls -ld \(path)"
    }

    /// The consequence of a damaged file, and the command that repairs it.
    private static func damage(to file: String, _ reason: String) -> Failure {
        let what = "\(file.escapedForTerminal) is damaged (\(reason.escapedForTerminal))"
        let header = file.hasSuffix(".copy") ? String(file.dropLast(".copy".count)) : file
        if header.hasSuffix("/vault.json") {
            let isWhole = reason == VaultError.inauthenticHeader || reason == VaultError.otherKeyInCopy
            let copying =
                "cp \((header + ".copy").escapedForTerminal.shellQuoted) \(header.escapedForTerminal.shellQuoted)"
            return Failure(
                .vaultDamaged, "damaged",
                file == header ? "\(what); without this file no account can be opened" : what,
                hint: isWhole ? "if the copy is the right one: \(copying)" : "bskyauth vault restore")
        }
        if file.hasSuffix("/active") {
            return Failure(
                .vaultDamaged, "damaged", "\(what), so no account is active",
                hint: "bskyauth switch ACCOUNT")
        }
        return Failure(
            .vaultDamaged, "damaged", "\(what); the rest of the vault is not affected",
            hint: "bskyauth vault restore" + (owner(of: file).map { " \($0.text.prefix(8))" } ?? ""))
    }

    /// The account a file of the vault belongs to, by its path.
    private static func owner(of file: String) -> UUID? {
        FileSystem.name(of: FileSystem.directory(of: FileSystem.directory(of: file))) == "accounts"
            ? UUID(uuidString: FileSystem.name(of: FileSystem.directory(of: file))) : nil
    }

    // MARK: vault verify, vault restore

    /// The failure of `vault verify`; nil if all files are good.
    static func failure(_ check: VaultCheck) -> Failure? {
        let failures = check.findings.map { failure($0.error) }
        guard let first = failures.first(where: { $0.status == .vaultDamaged }) ?? failures.first else {
            return nil
        }
        let all = check.goodFiles + failures.count
        let restorable = failures.first { $0.hint?.hasPrefix("bskyauth vault restore") == true }
        return Failure(
            first.status, first.code, "\(failures.count) of \(all) files of the vault can't be used",
            hint: restorable == nil ? first.hint : "bskyauth vault restore")
    }

    /// The reason why a file can't be used, for a table that names the file.
    static func problem(_ error: VaultError) -> String {
        if case .damaged(_, let reason) = error { reason.escapedForTerminal } else { failure(error).message }
    }

    /// A file that `vault restore` could not repair.
    static func unrestored(_ error: VaultError, of account: UUID?) -> Failure {
        if account == nil, let header = header(error) {
            return Failure(
                .vaultDamaged, "not_restorable",
                "\(header.escapedForTerminal) and its second copy are damaged or missing, so no account can be opened",
                hint: "restore it from a backup: cp BACKUP \(header.escapedForTerminal.shellQuoted)")
        }
        guard case .damaged(let file, let reason) = error, let account else { return failure(error) }
        let id = account.text
        // A login replaces a damaged session. Without its account's facts, it makes a second account.
        let hint =
            file.hasSuffix("/session")
            ? "log in again, which replaces the session: bskyauth login HANDLE"
            : "log in again, then remove the damaged account: bskyauth logout \(id) --local-only"
        return Failure(
            .vaultDamaged, "not_restorable",
            "\(file.escapedForTerminal) is damaged (\(reason.escapedForTerminal)), and so is its second copy",
            hint: hint, account: id)
    }

    /// The path of a header that is the matter.
    private static func header(_ error: VaultError) -> String? {
        switch error {
        case .damaged(let file, _) where file.hasSuffix("/vault.json"): file
        case .headerMissing(let home): home + "/vault.json"
        default: nil
        }
    }
}
