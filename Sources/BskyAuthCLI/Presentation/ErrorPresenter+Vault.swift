internal import BskyAuthCore
internal import CredentialVault
internal import Platform

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
                .loginNeeded, "no_vault", "there is no vault in \(home.shown), so there is no account yet",
                hint: "bskyauth login HANDLE")
        case .locked:
            return locked(
                "vault_locked", "the vault is locked, and no key was given",
                "set BSKYAUTH_KEY_FILE or BSKYAUTH_PASSPHRASE_FILE")
        case .wrongPassphrase:
            return locked("wrong_passphrase", "the passphrase does not open the vault", "try again")
        case .wrongKeyFile(let path):
            return locked(
                "wrong_key_file", "the key file \(path.shown) does not open the vault",
                "bskyauth --key-file FILE …")
        case .keyFileMissing(let path):
            return locked(
                "key_file_missing", "there is no key file \(path.shown)", "bskyauth --key-file FILE …")
        case .keyFileUnusable(let path):
            return locked(
                "key_file_unusable", "\(path.shown) is no key file: 32 bytes that nobody else may read",
                "ls -l \(path.shown.shellQuoted)")
        case .noSuchSlot:
            return locked(
                "no_such_slot", "the vault has no key of this kind",
                "use the passphrase or the key file it has")
        case .damaged(let file, let reason): return damage(to: file, reason)
        case .newerFormat(let file, let found):
            return damaged(
                "newer_format", "\(file.shown) was written by a newer bskyauth (format \(found))",
                "update bskyauth")
        case .unsafePermissions(let path, let mode):
            return damaged(
                "unsafe_permissions",
                "\(path.shown) can be read or written by others (mode \(String(mode, radix: 8)))",
                "chmod go-rwx \(path.shown.shellQuoted)")
        case .foreignOwner(let path):
            return damaged(
                "foreign_owner", "\(path.shown) belongs to another user", "ls -l \(path.shown.shellQuoted)")
        case .symlink(let path):
            return damaged(
                "symlink", "\(path.shown) is a link, and is not followed", "ls -l \(path.shown.shellQuoted)")
        case .headerMissing(let home):
            return damaged(
                "header_missing", "\(home.shown) has accounts but no vault.json, and is left alone",
                "put vault.json back from a backup")
        case .busy(let holder):
            let who = holder.map { "process \($0)" } ?? "another process"
            return Failure(
                .busy, "busy", "\(who) is working on this account, and did not finish in time",
                hint: "run the command again, or wait longer: --lock-timeout 60s")
        case .noSuchAccount(let id):
            return Failure(
                .unknownAccount, "unknown_account", "there is no account \(id.shown)",
                hint: "bskyauth accounts")
        case .exists(let home):
            return Failure(.failure, "vault_exists", "there is a vault in \(home.shown) already")
        case .io(let error):
            let what = "\(error.path.shown): \(error.operation) failed: \(error.reason)"
            let path = error.path.shown.shellQuoted
            if error.isDenied { return damaged("vault_access", what, "ls -ld \(path)") }
            if error.isDiskFull { return Failure(.failure, "disk_full", what, hint: "df -h \(path)") }
            if error.isReadOnly {
                return Failure(.failure, "disk_read_only", what, hint: "findmnt --target \(path)")
            }
            return Failure(.failure, "io", what, hint: "ls -ld \(path)")
        case .cryptography(let error):
            return Failure(.failure, "cryptography", "a cryptographic operation failed (\(error))")
        case .cancelled: return Failure(.interrupted, "interrupted", "interrupted")
        }
    }

    /// What is lost with a damaged file, and what brings it back.
    private static func damage(to file: String, _ reason: String) -> Failure {
        let what = "\(file.shown) is damaged (\(reason.shown))"
        if file.hasSuffix("/vault.json") {
            return Failure(
                .vaultDamaged, "damaged", "\(what), and without it nothing in the vault can be opened",
                hint: "put it back from a backup: cp BACKUP \(file.shown.shellQuoted)")
        }
        if file.hasSuffix("/active") {
            return Failure(
                .vaultDamaged, "damaged", "\(what): which account is active is not known",
                hint: "bskyauth switch ACCOUNT")
        }
        return Failure(
            .vaultDamaged, "damaged", "\(what); what else is in the vault is fine",
            hint: "log in again to replace it: bskyauth login HANDLE")
    }

    // MARK: Steps

    /// Runs a step of the core with its error in words.
    static func presenting<Value>(
        _ step: () async throws(CoreError) -> Value
    ) async throws(Failure) -> Value {
        do throws(CoreError) { return try await step() } catch { throw failure(error) }
    }

    static func presenting<Value>(_ step: () throws(CoreError) -> Value) throws(Failure) -> Value {
        do throws(CoreError) { return try step() } catch { throw failure(error) }
    }

    static func presenting<Value>(_ step: () throws(VaultError) -> Value) throws(Failure) -> Value {
        do throws(VaultError) { return try step() } catch { throw failure(error) }
    }
}
