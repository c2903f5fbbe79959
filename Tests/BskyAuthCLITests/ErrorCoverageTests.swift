import ATPCryptography
import ATPNetworking
import ATPPlatform
import ATProtoIdentity
import ATProtoOAuth
import ATProtoSessions
import ATProtoVault
import ATProtoXRPC
import BskyAuthRows
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCLI
@testable import BskyAuthCore

/// Each `next` has an exhaustive switch, so that the compiler asks for a sample of a new case.
@Suite("Every error of ours") struct ErrorCoverageTests {
    private let text = ErrorCase.hostile
    private let alice: Account
    private let issuer: Issuer
    private let login: AccountLogin
    private let request: XRPCRequest
    private let transport = TransportError(.timedOut, requestWasSent: true)

    init() throws {
        alice = try Sample.account()
        issuer = try Issuer(validating: Sample.pds, profile: .atproto, policy: NetworkPolicy())
        request = XRPCRequest(.query, try NSID(validating: "a.b.c"))
        login = AccountLogin(alice, try Sample.session())
    }

    private func walk<Known: KnownError>(from first: Known, _ next: (Known) -> Known?) -> [any KnownError] {
        var found: [any KnownError] = []
        var error: Known? = first
        while let present = error {
            found.append(present)
            error = next(present)
        }
        return found
    }

    private var all: [any KnownError] {
        walk(from: CoreError.rotationNotBegun(.locked), next)
            + walk(from: SessionFailure.oauth(OAuthError(.nonceRefused, endpoint: .token), login), next)
            + walk(from: VaultError.noVault(home: text), next)
            + walk(from: BundleError.wrongPassphrase, next) + walk(from: CryptographyError.keyMismatch, next)
            + walk(from: AuthorizationResponseError.malformed, next)
            + [
                transport, Failure.usage("no"),
                IdentityError(.notFound, step: .name, subject: text, url: nil),
                DiscoveryError(.redirect, document: .protectedResource, url: text),
            ]
    }

    @Test("has words, an exit status and a next step, and is no defect") func words() {
        #expect(all.count > 75)
        for error in all {
            let failure = ErrorPresenter.failure(for: error)
            #expect(failure.code != ErrorPresenter.defectCode && failure.status != .done, "\(error)")
            ErrorCase.check(failure)
        }
    }

    @Test("and any other error is called a defect, without what is in it") func defect() {
        struct Unknown: Error { let secret = "s3cret" }
        let failure = ErrorPresenter.failure(for: Unknown())
        #expect(failure.code == ErrorPresenter.defectCode && failure.status == .failure)
        ErrorCase.check(failure)
    }

    private var client: HostedClient {
        HostedClient(
            name: text, kind: .web, base: "https://example.com/", displayName: text, scope: Scope("atproto"),
            isPublished: true)
    }

    private func next(_ error: SessionFailure) -> SessionFailure? {
        switch error {
        case .oauth: .clientKeyMissing(client.clientID, keyID: text)
        case .clientKeyMissing: .verification(.subjectIsNoDID)
        case .verification: .unverified(.subjectIsNoDID, login)
        case .unverified:
            .refreshFailed(
                SessionFailure.oauth(OAuthError(.nonceRefused, endpoint: .refresh), login), retryAt: Date())
        case .refreshFailed: .refreshPostponed(login, status: 503, retryAt: Date())
        case .refreshPostponed: .refreshUnclear(login, since: Date(), status: nil, until: Date())
        case .refreshUnclear: .sessionEnded(login, .expired(said: nil))
        case .sessionEnded: .tokenRefused(login, XRPCError(status: 401, name: text, message: text))
        case .tokenRefused: .logoutRefused(login, at: issuer, said: text)
        case .logoutRefused: .accountMoved(login, to: alice.pds, because: transport)
        case .accountMoved:
            .oauthNotServed(
                alice.pds, because: DiscoveryError(.status(404), document: .protectedResource, url: text))
        case .oauthNotServed: .nothingGranted(of: Scope("atproto \(text)"), areRevoked: false)
        case .nothingGranted: .cancelled
        case .cancelled: nil
        }
    }

    private func next(_ error: CoreError) -> CoreError? {
        switch error {
        case .rotationNotBegun: .answerNotKept(.locked)
        case .answerNotKept: .sessionService(transport)
        case .sessionService: .xrpc(XRPCError(status: 400, name: text, message: text), alice)
        case .xrpc: .malformedSession(alice.pds)
        case .malformedSession: .listener(text)
        case .listener: .noAccounts
        case .noAccounts: .noneActive([alice])
        case .noneActive: .unknownAccount(text, known: [alice])
        case .unknownAccount: .ambiguousAccount(text, candidates: [alice])
        case .ambiguousAccount: .notRemoved(alice, after: .none, isEnded: true, because: .locked)
        case .notRemoved(_, .none, true, _):
            .notRemoved(alice, after: .none, isEnded: false, because: .locked)
        case .notRemoved(_, .none, false, _):
            .notRemoved(alice, after: .logout(.accepted), isEnded: true, because: .locked)
        case .notRemoved(_, .logout, _, _):
            .notRemoved(alice, after: .export(file: text), isEnded: true, because: .locked)
        case .notRemoved(_, .export, true, _):
            .notRemoved(alice, after: .export(file: text), isEnded: false, because: .locked)
        case .notRemoved(_, .export, false, _):
            .unknownPin(AccountPin(account: alice.id, file: text))
        case .unknownPin: .unknownClient(text, known: [text])
        case .unknownClient: .clientExists(client)
        case .clientExists: .clientDocument(text, .redirect(text))
        case .clientDocument: .clientKeyShared(login, with: [alice])
        case .clientKeyShared: .clientKeyNotPublished(client.clientID, keyID: text)
        case .clientKeyNotPublished: .unreadableClient(UnreadableRecord(member: "name"))
        case .unreadableClient: .wrongNetwork(alice, devNetwork: nil)
        case .wrongNetwork: .accountNotNamed([alice])
        case .accountNotNamed: .noPreviousAccount
        case .noPreviousAccount: .labelHoldsOAuth(alice)
        case .labelHoldsOAuth: .unreadableBundle(UnreadableRecord(member: "did"))
        case .unreadableBundle: .foreignKey(login)
        case .foreignKey: .takeover(.issuedToAnotherClient(text))
        case .takeover: .rotationUnsettled(login, mayHideRotation: true)
        case .rotationUnsettled: .mirror(alice, .before, .timedOut)
        case .mirror: .loginTimedOut
        case .loginTimedOut: .loginKept(alice, because: VaultError.busy(holder: nil))
        case .loginKept: .loginDeclined
        case .loginDeclined: .foreignAudience(alice, alice.pds)
        case .foreignAudience: .notBound(alice)
        case .notBound:
            .callRefused(
                CallRefusal(
                    request, XRPCError(status: 400, name: text, message: text), from: .anonymous(alice.pds)))
        case .callRefused:
            .serviceTokenRefused(
                CallRefusal(
                    request, XRPCError(status: 400, name: text, message: text),
                    from: .account(alice, login.terms)),
                ServiceTokenRequest(
                    .did(alice.did), request.nsid, lifetime: .seconds(60), namesService: false))
        case .serviceTokenRefused: .wrongServiceToken(alice, .audience)
        case .wrongServiceToken:
            (try? ServiceReference(validating: "\(alice.did)#x")).map {
                .unusableService($0, IdentityError(.notFound, step: .didDocument, subject: text))
            }
        case .unusableService(let service, _): .serviceRedirects(service, alice.pds)
        case .serviceRedirects: .loggedOut(alice, nil)
        case .loggedOut: nil
        }
    }

    private func next(_ error: VaultError) -> VaultError? {
        let system = SystemError(errno: EACCES, operation: "open", path: text)
        return switch error {
        case .noVault: .unreadableRecord(alice.id, UnreadableRecord(member: "did"))
        case .unreadableRecord: .loginTaken(alice)
        case .loginTaken: .labelTaken(text, by: alice.id)
        case .labelTaken: .exists(home: text)
        case .exists: .noDirectory(home: text)
        case .noDirectory: .headerMissing(home: text)
        case .headerMissing: .locked
        case .locked: .unlockEnded(Date())
        case .unlockEnded: .wrongPassphrase
        case .wrongPassphrase: .wrongKeyFile(path: text)
        case .wrongKeyFile: .keyFileMissing(path: text)
        case .keyFileMissing: .keyFileUnusable(path: text)
        case .keyFileUnusable: .keyFileUnwritable(system)
        case .keyFileUnwritable: .noSuchSlot
        case .noSuchSlot: .noSuchKey(text, known: [text])
        case .noSuchKey: .keyNameTaken(text)
        case .keyNameTaken: .keyFileAdded(path: text, name: text)
        case .keyFileAdded: .lastKey(text)
        case .lastKey: .tooManyKeys(limit: 16)
        case .tooManyKeys: .damaged(file: text, reason: text)
        case .damaged: .newerFormat(file: text, found: 2)
        case .newerFormat: .unsafePermissions(path: text, mode: 0o644)
        case .unsafePermissions: .foreignOwner(path: text)
        case .foreignOwner: .symlink(path: text)
        case .symlink: .keyFileOpen(path: text, .openWay(text))
        case .keyFileOpen(_, .openWay): .keyFileOpen(path: text, .openFolder(text))
        case .keyFileOpen(_, .openFolder): .keyFileOpen(path: text, .writableFile)
        case .keyFileOpen(_, .writableFile): .keyFileOpen(path: text, .descriptor)
        case .keyFileOpen(_, .descriptor): .keyFileOpen(path: text, .openFile)
        case .keyFileOpen(_, .openFile): .keyFileOpen(path: text, .access(.foreignOwner(0)))
        case .keyFileOpen: .replaced(path: text, nowAt: text)
        case .replaced: .overtaken
        case .overtaken: .keyChanged
        case .keyChanged: .busy(holder: 42)
        case .busy: .noSuchAccount(alice.id)
        case .noSuchAccount: .keyringUnavailable(system)
        case .keyringUnavailable: .unwritable(system)
        case .unwritable: .io(system)
        case .io: .cryptography(.noRandomBytes)
        case .cryptography: .shared(home: text)
        case .shared: .sharingChanged
        case .sharingChanged: .sharingRefused(.isShared(store: text))
        case .sharingRefused(let refusal): next(refusal).map { .sharingRefused($0) } ?? .storeURL(text, text)
        case .storeURL: .store(RowStoreError(text, outcome: .unknown, code: .timedOut))
        case .store: .storeWentBack(alice.id)
        case .storeWentBack: .repairing(VaultError.Repair(needsThis: true, others: [text]))
        case .repairing:
            .claimed(
                SharedClaim(
                    id: alice.id, machine: SharedMachine(id: alice.id, name: text, isDurable: true),
                    startedAt: Date()))
        case .claimed: .cancelled
        case .cancelled: nil
        }
    }

    private func next(_ refusal: SharingRefusal) -> SharingRefusal? {
        switch refusal {
        case .isShared: .isNotShared
        case .isNotShared: .storeInUse
        case .storeInUse: .storeHasNoVault
        case .storeHasNoVault: .sharing
        case .sharing: .storeLost
        case .storeLost: .unshared(by: SharedMachine(id: alice.id, name: text, isDurable: true))
        case .unshared: .unsharing
        case .unsharing: .unfinished([alice.id])
        case .unfinished: .laterProtocol(2)
        case .laterProtocol: .rekeying
        case .rekeying: .noKeyFile
        case .noKeyFile: .newKey
        case .newKey: .nameTaken(by: SharedMachine(id: alice.id, name: text, isDurable: true))
        case .nameTaken: .export
        case .export: nil
        }
    }

    private func next(_ error: BundleError) -> BundleError? {
        switch error {
        case .wrongPassphrase: .wrongKeyFile(path: text)
        case .wrongKeyFile: .keyFileMissing(path: text)
        case .keyFileMissing: .takesPassphrase
        case .takesPassphrase: .takesKeyFile
        case .takesKeyFile: .damaged(reason: text)
        case .damaged: .newerFormat(found: 2)
        case .newerFormat: .exists(path: text)
        case .exists: .vault(.locked)
        case .vault: nil
        }
    }

    private func next(_ error: CryptographyError) -> CryptographyError? {
        switch error {
        case .keyMismatch: .authenticationFailed
        case .authenticationFailed: .invalidPrivateKey
        case .invalidPrivateKey: .invalidPublicKey
        case .invalidPublicKey: .invalidParameter("n")
        case .invalidParameter: .operationFailed("P-256")
        case .operationFailed: .noRandomBytes
        case .noRandomBytes: .unreadableConfiguration
        case .unreadableConfiguration: nil
        }
    }

    private func next(_ error: AuthorizationResponseError) -> AuthorizationResponseError? {
        switch error {
        case .malformed: .stateMissing
        case .stateMissing: .stateMismatch
        case .stateMismatch: .issuerMissing
        case .issuerMissing: .issuerMismatch(found: text)
        case .issuerMismatch: .refused(error: text, description: text)
        case .refused: .codeMissing
        case .codeMissing: nil
        }
    }
}
