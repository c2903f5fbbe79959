import ATPCryptography
import ATPNetworking
import ATPPlatform
import ATProtoOAuth
import ATProtoSessions
import ATProtoVault
import ATProtoXRPC
import BskyAuthCovers
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCLI
@testable import BskyAuthCore

@Suite("ErrorPresenter: accounts, sessions, vault") struct ErrorPresenterTests {
    private let alice: Account
    private let labelled: Account
    private let login: AccountLogin

    init() throws {
        alice = try Sample.account()
        labelled = try Sample.account(label: "it's")
        login = AccountLogin(labelled, try Sample.session())
    }

    @Test("a file outside of the vault that can't be written says nothing of the vault")
    func outside() {
        let denied = SystemError(errno: EACCES, operation: "open", path: "/srv/it's here/bundle")
        for failure in [
            ErrorPresenter.failure(BundleError.vault(.io(denied))),
            ErrorPresenter.failure(VaultError.keyFileUnwritable(denied)),
        ] {
            #expect(failure.status == .failure && failure.code == "io")
            #expect(failure.hint == #"ls -ld '/srv/it'\''s here'"#)
        }
        #expect(ErrorPresenter.failure(VaultError.io(denied)).status == .vaultDamaged)
        let missing = ErrorPresenter.failure(BundleError.keyFileMissing(path: "/mnt/key"))
        #expect(missing.status == .vaultLocked && missing.hint?.contains("urandom") == false)
    }

    @Test("the next step for a bundle that does not open names its file, for a shell")
    func bundleFile() {
        let errors: [(BundleError, String)] = [
            (.wrongPassphrase, " --bundle-passphrase-file FILE"),
            (.takesPassphrase, " --bundle-passphrase-file FILE"),
            (.takesKeyFile, " --recipient-key FILE"), (.wrongKeyFile(path: "k"), " --recipient-key FILE"),
            (.keyFileMissing(path: "k"), " --recipient-key FILE"), (.damaged(reason: "is too short"), ""),
        ]
        for (error, key) in errors {
            let hint = ErrorPresenter.failure(error, opening: "/mnt/my bundle").hint ?? ""
            #expect(hint.hasSuffix("bskyauth accounts import '/mnt/my bundle'\(key)"), "\(hint)")
        }
    }

    @Test("accounts") func accounts() throws {
        let dev = Origin(scheme: .http, host: "127.0.0.1", port: 2583)
        let cases = [
            ErrorCase(.noAccounts, "no_accounts", .loginNeeded),
            ErrorCase(.noneActive([alice, labelled]), "none_active", .unknownAccount),
            ErrorCase(.accountNotNamed([labelled, alice]), "account_not_named", .usage),
            ErrorCase(.accountNotNamed([]), "account_not_named", .usage),
            ErrorCase(.noPreviousAccount, "no_previous_account", .unknownAccount),
            ErrorCase(.unknownAccount(ErrorCase.hostile, known: [alice]), "unknown_account", .unknownAccount),
            ErrorCase(
                .ambiguousAccount("alice.example.com", candidates: [alice, labelled]), "ambiguous_account",
                .unknownAccount),
            ErrorCase(
                .unknownPin(AccountPin(account: UUID(), file: "/\(ErrorCase.hostile)/.bskyauth-account")),
                "unknown_account", .unknownAccount),
            ErrorCase(any: VaultError.loginTaken(labelled), "slot_taken", .usage),
            ErrorCase(any: VaultError.labelTaken(ErrorCase.hostile, by: UUID()), "label_taken", .usage),
            ErrorCase(.wrongNetwork(alice, devNetwork: dev), "wrong_network", .usage),
            ErrorCase(
                .foreignAudience(labelled, Origin(scheme: .https, host: "evil.example")),
                "foreign_audience", .usage),
            ErrorCase(.notBound(labelled), "not_bound", .usage),
            ErrorCase(
                .wrongNetwork(try Sample.account(devNetwork: dev), devNetwork: nil), "wrong_network", .usage),
        ]
        for found in cases { found.check() }
    }

    @Test("bundles") func bundles() throws {
        let path = ErrorCase.hostile
        let cases = [
            ErrorCase(any: BundleError.wrongPassphrase, "wrong_passphrase", .vaultLocked),
            ErrorCase(any: BundleError.wrongKeyFile(path: path), "wrong_key_file", .vaultLocked),
            ErrorCase(any: BundleError.takesPassphrase, "no_such_slot", .vaultLocked),
            ErrorCase(any: BundleError.takesKeyFile, "no_such_slot", .vaultLocked),
            ErrorCase(any: BundleError.damaged(reason: "is too short"), "bundle_damaged", .vaultDamaged),
            ErrorCase(any: BundleError.newerFormat(found: 2), "newer_format", .vaultDamaged),
            ErrorCase(any: BundleError.exists(path: path), "bundle_exists", .usage),
            ErrorCase(any: BundleError.vault(.keyFileMissing(path: path)), "key_file_missing", .vaultLocked),
            ErrorCase(any: BundleError.vault(.symlink(path: path)), "symlink", .vaultDamaged),
            ErrorCase(
                .unreadableBundle(UnreadableRecord(member: "version")), "unreadable_bundle", .vaultDamaged),
            ErrorCase(.foreignKey(login), "foreign_key", .verificationFailed),
            ErrorCase(.takeover(.unreadable("it has no tokenSet")), "session_unreadable", .usage),
            ErrorCase(.takeover(.keyHalvesDiffer), "key_mismatch", .verificationFailed),
            ErrorCase(.takeover(.tokenOfAnotherKey), "foreign_key", .verificationFailed),
            ErrorCase(.takeover(.clientNotNamed), "client_not_named", .usage),
            ErrorCase(.takeover(.issuedToAnotherClient("x")), "client_mismatch", .verificationFailed),
            ErrorCase(.takeover(.refused), "session_refused", .loginNeeded),
            ErrorCase(.takeover(.alreadyHere(alice)), "already_imported", .usage),
            ErrorCase(.takeover(.laterThanHere(alice)), "later_session", .usage),
            ErrorCase(.takeover(.anotherAccount), "other_account", .verificationFailed),
            ErrorCase(.rotationUnsettled(login, mayHideRotation: true), "rotation_unsettled", .loginNeeded),
            ErrorCase(.rotationUnsettled(login, mayHideRotation: false), "rotation_unsettled", .busy),
            ErrorCase(.mirror(labelled, .before, .notStarted(path)), "handover_refused", .failure),
            ErrorCase(.mirror(labelled, .before, .signalled(9)), "handover_refused", .failure),
            ErrorCase(.mirror(labelled, .before, .superseded), "handover_superseded", .busy),
            ErrorCase(.mirror(labelled, .after, .superseded), "handover_failed", .failure),
            ErrorCase(.mirror(labelled, .after, .failed(3)), "handover_failed", .failure),
            ErrorCase(.mirror(labelled, .after, .timedOut), "handover_failed", .failure),
        ]
        for found in cases { found.check() }
    }

    @Test("what another version wrote is left alone, and the next step is an update") func otherVersion() {
        let error = UnreadableRecord(member: "version")
        let errors: [any KnownError] = [
            VaultError.unreadableRecord(alice.id, error), CoreError.unreadableClient(error),
            CoreError.unreadableBundle(error),
        ]
        for found in errors {
            let failure = ErrorPresenter.failure(for: found)
            #expect(failure.status == .vaultDamaged && failure.hint == "update bskyauth", "\(failure)")
            #expect(failure.message.contains("another version of bskyauth"), "\(failure)")
        }
    }

    @Test("an ambiguous name is answered with what to type") func choices() {
        let failure = ErrorPresenter.failure(
            CoreError.ambiguousAccount("alice.example.com", candidates: [alice, labelled]))
        #expect(failure.message.contains("-a 'it'\\''s' (@alice.example.com)"))
        // The name that was refused is no help.
        #expect(failure.message.contains("-a \(alice.id.text.prefix(8)) (@alice.example.com)"))
        #expect(!failure.message.contains("-a alice.example.com"))
        let unlabelled = ErrorPresenter.failure(CoreError.noneActive([alice, labelled]))
        #expect(
            unlabelled.message.contains(
                "-a \(alice.id.text.prefix(8)) (@alice.example.com)  or  -a 'it'\\''s' (@alice.example.com)"))
        let same = ErrorPresenter.failure(CoreError.noneActive([alice, alice]))
        #expect(same.message.contains("-a \(alice.id.text.prefix(8))"))
    }

    @Test("logins") func logins() {
        let cases = [
            ErrorCase(.loginTimedOut, "login_timed_out", .busy),
            ErrorCase(.loginKept(alice, because: VaultError.busy(holder: nil)), "login_kept", .busy),
            ErrorCase(.loginDeclined, "declined", .declined),
            ErrorCase(
                any: SessionFailure.nothingGranted(of: Scope(ErrorCase.hostile), areRevoked: true),
                "nothing_granted",
                .scopeMissing),
            ErrorCase(.cancelled, "interrupted", .interrupted),
            ErrorCase(.listener(ErrorCase.hostile), "listener", .failure),
            ErrorCase(any: CryptographyError.authenticationFailed, "cryptography", .failure),
            ErrorCase(any: CryptographyError.operationFailed("P-256"), "openssl_unusable", .failure),
        ]
        for found in cases { found.check() }
    }

    @Test("sessions, each with the command that logs in to the same slot", .covers("C14")) func sessions() {
        let cases: [(SessionEnding, String)] = [
            (.expired(said: nil), "session_expired"), (.lostRotation(after: nil), "lost_rotation"),
            (.uncertain, "session_uncertain"),
            (.quarantined, "session_quarantined"), (.notRefreshable, "session_expired"),
        ]
        for (ending, code) in cases {
            ErrorCase(.sessionEnded(login, ending), code, .loginNeeded).check()
            let failure = ErrorPresenter.failure(SessionFailure.sessionEnded(login, ending))
            #expect(failure.hint?.contains("bskyauth login alice.example.com --label 'it'\\''s'") == true)
            #expect(failure.account == "@alice.example.com (it's)")
        }
    }

    @Test("a login that is proposed asks for what the login before asked for", .covers("S6"))
    func requestedScope() throws {
        for (client, options) in [
            ("http://localhost?scope=atproto", ""),
            ("https://app.example.com/client.json", " --client https://app.example.com/client.json"),
        ] {
            let session = try Sample.session(
                client: client, scope: "atproto repo:com.example.a",
                requestedScope: "atproto include:com.example.set blob:*/*")
            let login = AccountLogin(try Sample.account(), session)
            #expect(
                AccountText.loginCommand(login) == "bskyauth login alice.example.com\(options)"
                    + " --scope include:com.example.set --scope 'blob:*/*'")
        }
    }

    @Test("a login that is proposed names the default scope where a client has another", .covers("S6"))
    func defaultScope() throws {
        let usual = "atproto transition:generic"
        for (client, options) in [
            ("http://localhost", ""),
            (
                "https://app.example.com/client.json",
                " --client https://app.example.com/client.json --scope transition:generic"
            ),
        ] {
            let session = try Sample.session(client: client, scope: usual, requestedScope: usual)
            let login = AccountLogin(try Sample.account(), session)
            #expect(AccountText.loginCommand(login) == "bskyauth login alice.example.com\(options)")
        }
    }

    @Test(
        "a login that is proposed asks for what the session had, and for nothing else",
        arguments: [
            ("http://localhost?scope=atproto%20transition%3Ageneric", "atproto transition:generic", ""),
            ("http://localhost", "atproto", " --scope atproto"),
            ("http://localhost/", "atproto", " --scope atproto"),
            ("http://localhost?redirect_uri=x&scope=atproto", "atproto", " --scope atproto"),
            // As it was asked for: what an `include:` stands for is not what it says.
            (
                "http://localhost?scope=atproto+include%3Acom.example.set", "atproto repo:com.example.a",
                " --scope include:com.example.set"
            ),
            (
                "http://localhost?scope=atproto+repo%3Aapp.bsky.feed.post%3Faction%3Dcreate+transition%3Achat.bsky",
                "atproto", " --scope 'repo:app.bsky.feed.post?action=create' --scope transition:chat.bsky"
            ),
            // The server would refuse the granted words of a client with a document.
            (
                "https://app.example.com/client.json", "atproto transition:email",
                " --client https://app.example.com/client.json"
            ),
        ])
    func loginAgain(client: String, granted: String, options: String) throws {
        let session = try Sample.session(client: client, scope: granted)
        for ending in [
            SessionEnding.expired(said: nil), .lostRotation(after: 503), .unreadable, .uncertain,
            .quarantined,
        ].map({ SessionFailure.sessionEnded(AccountLogin(labelled, session), $0) }) + [
            .tokenRefused(AccountLogin(labelled, session), Self.refusedToken)
        ] {
            let hint = ErrorPresenter.failure(ending).hint
            #expect(
                hint?.hasSuffix("login alice.example.com --label 'it'\\''s'\(options)") == true,
                "\(hint ?? "")")
        }
        let soon = ErrorPresenter.sessionEndsSoon(labelled, session, now: session.createdAt)
        #expect(soon.hint?.hasSuffix("--label 'it'\\''s'\(options)") == true)
    }

    private static let refusedToken = XRPCError(status: 401, name: "InvalidToken", message: ErrorCase.hostile)

    @Test("a refused token, which may be the fault of a clock") func tokenRefused() {
        let refusal = SessionFailure.tokenRefused(login, Self.refusedToken)
        ErrorCase(refusal, "token_refused", .loginNeeded).check()
        let failure = ErrorPresenter.failure(refusal)
        #expect(failure.message.hasSuffix(" refuses a token that was just issued"))
        #expect(failure.hint?.contains("bskyauth doctor, or log in again:  bskyauth login ") == true)
        #expect(failure.account == "@alice.example.com (it's)" && failure.serverError == nil)
    }

    @Test("after an app password, an app password is asked for again") func appPasswordAgain() throws {
        let login = AccountLogin(try Sample.account(), try Sample.passwordSession())
        let hint = ErrorPresenter.failure(SessionFailure.sessionEnded(login, .expired(said: nil))).hint
        #expect(hint == "log in again:  bskyauth login alice.example.com --app-password")
    }

    @Test("verification", .covers("R82")) func verification() throws {
        let hostile = ErrorCase.hostile
        let person = NamedDID(try Sample.account().did, nil)
        let cases: [(VerificationFailure, String)] = [
            (.subjectIsAnother(expected: Sample.did, received: hostile), "wrong_subject"),
            (.anotherSignedIn(person, expected: person), "wrong_subject"),
            (.subjectIsNoDID, "wrong_subject"),
            (.issuerMismatch(account: Sample.did, expected: Sample.pds, found: hostile), "issuer_mismatch"),
            (.tokenResponse(.tokenType(hostile)), "bad_token_response"),
            (.tokenResponse(.missingSubject), "bad_token_response"),
            (.tokenResponse(.missingScope), "bad_token_response"),
            (.tokenResponse(.scopeWithout(Scope.atproto)), "bad_token_response"),
            (.tokenResponse(.idToken), "bad_token_response"),
        ]
        for (failure, code) in cases { ErrorCase(.verification(failure), code, .verificationFailed).check() }
    }

    @Test("the vault") func vault() {
        let path = "/home/alice/\(ErrorCase.hostile)"
        let cases: [(VaultError, String, ExitStatus)] = [
            (.noVault(home: path), "no_vault", .loginNeeded), (.exists(home: path), "vault_exists", .failure),
            (.noDirectory(home: path), "no_directory", .usage),
            (.headerMissing(home: path), "header_missing", .vaultDamaged),
            (.locked, "vault_locked", .vaultLocked), (.unlockEnded(Date()), "vault_locked", .vaultLocked),
            (.wrongPassphrase, "wrong_passphrase", .vaultLocked),
            (.wrongKeyFile(path: path), "wrong_key_file", .vaultLocked),
            (.keyFileMissing(path: path), "key_file_missing", .vaultLocked),
            (.keyFileUnusable(path: path), "key_file_unusable", .vaultLocked),
            (.noSuchSlot, "no_such_slot", .vaultLocked),
            (.noSuchKey(path, known: [path]), "no_such_key", .usage),
            (.keyNameTaken(path), "key_name_taken", .usage), (.lastKey(path), "last_key", .usage),
            (.tooManyKeys(limit: 16), "too_many_keys", .usage),
            (
                .keyringUnavailable(SystemError(errno: EPERM, operation: "add_key")), "keyring_unavailable",
                .failure
            ),
            (.damaged(file: path, reason: "x"), "damaged", .vaultDamaged),
            (.newerFormat(file: path, found: 2), "newer_format", .vaultDamaged),
            (.unsafePermissions(path: path, mode: 0o644), "unsafe_permissions", .vaultDamaged),
            (.foreignOwner(path: path), "foreign_owner", .vaultDamaged),
            (.symlink(path: path), "symlink", .vaultDamaged),
            (.replaced(path: path, nowAt: path), "vault_replaced", .vaultDamaged),
            (.replaced(path: path, nowAt: nil), "vault_replaced", .vaultDamaged),
            (.busy(holder: 42), "busy", .busy),
            (.busy(holder: nil), "busy", .busy), (.noSuchAccount(UUID()), "unknown_account", .unknownAccount),
            (.io(SystemError(errno: ENOSPC, operation: "write", path: path)), "disk_full", .failure),
            (.io(SystemError(errno: EDQUOT, operation: "write", path: path)), "disk_full", .failure),
            (.io(SystemError(errno: EROFS, operation: "open", path: path)), "disk_read_only", .failure),
            (.io(SystemError(errno: EACCES, operation: "open", path: path)), "vault_access", .vaultDamaged),
            (
                .unwritable(SystemError(errno: EROFS, operation: "open", path: path)), "disk_read_only",
                .failure
            ),
            (
                .unwritable(SystemError(errno: EACCES, operation: "open", path: path)), "vault_unwritable",
                .failure
            ),
            (.io(SystemError(errno: EIO, operation: "fsync", path: path)), "io", .failure),
            (.cryptography(.invalidPrivateKey), "cryptography", .failure),
            (.cancelled, "interrupted", .interrupted),
        ]
        for (error, code, status) in cases {
            ErrorCase(any: error, code, status).check()
            ErrorCase(.rotationNotBegun(error), code, status).check()
            ErrorCase(.answerNotKept(error), code, status).check()
        }
        let full = VaultError.io(SystemError(errno: ENOSPC, operation: "write", path: path))
        #expect(ErrorPresenter.failure(CoreError.answerNotKept(full)).message.contains("may be lost"))
        let mode = ErrorPresenter.failure(VaultError.unsafePermissions(path: "/a b", mode: 0o644))
        #expect(mode.message.contains("644") && mode.hint == "chmod go-rwx '/a b'")
    }
}
