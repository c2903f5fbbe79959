import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoOAuth
import ATProtoSessions
import ATProtoVault
import BskyAuthTestSupport
import Foundation
import Logging
import OAuthDPoP
import Testing

@testable import BskyAuthCore

/// A real vault in a directory of its own, and around it servers, a clock and a browser that do as told.
final class World: Sendable {
    static let did = "did:plc:rx3iezovljgx6w3o4vtr5bae"
    static let start = Date(timeIntervalSince1970: 1_795_212_231)
    static let plc = "https://plc.directory/did%3Aplc%3Arx3iezovljgx6w3o4vtr5bae"
    static let pds = "https://pds.example.com"
    static let resourceMetadata = "\(pds)/.well-known/oauth-protected-resource"
    static let serverMetadata = "\(pds)/.well-known/oauth-authorization-server"
    static let par = "\(pds)/oauth/par"
    static let token = "\(pds)/oauth/token"
    static let revoke = "\(pds)/oauth/revoke"

    static let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    let directory: URL
    let network = ScriptedTransport()
    let dns = ScriptedTextRecords()
    let clock = ManualClock(start)
    let caches = MemoryCaches()
    let section = CountedSection()
    let receiver = ScriptedReceiver()
    let browser = ScriptedBrowser()
    let accounts: VaultAccounts
    /// Nil where another world owns the directory.
    private let ownDirectory: TemporaryDirectory?

    /// The vault of another world, as another process opens it; the servers are not to be had there.
    init(reopening path: String) throws {
        directory = URL(filePath: path)
        ownDirectory = nil
        accounts = VaultAccounts(
            try CredentialVault.open(at: path + "/vault", key: .keyFile(path: path + "/key")),
            log: Self.log)
    }

    init() throws {
        let temporary = try TemporaryDirectory()
        ownDirectory = temporary
        directory = temporary.url
        accounts = VaultAccounts(
            try CredentialVault.create(
                at: directory.path + "/vault", key: .keyFile(path: directory.path + "/key")),
            log: Self.log)
        network.answer(Self.plc, try Transcript.answer("004-plc-did-document"))
        network.answer(Self.resourceMetadata, try Transcript.answer("001-protected-resource-metadata"))
        network.answer(Self.serverMetadata, try Transcript.answer("002-authorization-server-metadata"))
        network.answer(Self.par, try Transcript.answer("101-par-portless-client-redirect"))
        network.answer(Self.token, Self.tokens("second"))
        network.answer(Self.revoke, .json([:]))
        network.answer("https://alice.example.com/.well-known/atproto-did", .text(Self.did))
    }

    var environment: SessionEnvironment { environment(policy: NetworkPolicy()) }

    var interaction: LoginInteraction { LoginInteraction(redirects: receiver, browser: browser) }

    /// What another process would work with: everything but the memory is shared.
    func environment(
        policy: NetworkPolicy, mirror: SessionMirror? = nil, keeper: (any RotationRunner)? = nil
    ) -> SessionEnvironment {
        SessionEnvironment(
            accounts: accounts,
            network: NetworkEnvironment(
                policy: policy, transport: network,
                identities: IdentityResolver(
                    handles: HandleResolver(transport: network, textRecords: dns, policy: policy),
                    dids: DIDResolver(transport: network, policy: policy),
                    cache: StoredIdentityCache(
                        store: caches, clock: clock, policy: policy, sources: "test")),
                caches: caches, wallClock: clock,
                log: Self.log),
            criticalSection: section, mirror: mirror, keeper: keeper)
    }

    /// A token response; `name` makes its tokens tell apart.
    static func tokens(
        _ name: String, sub: String? = did, type: String = "DPoP",
        scope: String? = "atproto transition:generic",
        expiresIn: Int64? = 3600, refresh: Bool = true
    ) -> ScriptedTransport.Answer {
        var json: JSONObject = ["access_token": .string("\(name)-access"), "token_type": .string(type)]
        if refresh { json["refresh_token"] = .string("\(name)-refresh") }
        if let sub { json["sub"] = .string(sub) }
        if let scope { json["scope"] = .string(scope) }
        if let expiresIn { json["expires_in"] = JSONValue(expiresIn) }
        return .json(.object(json))
    }

    /// A session whose access token has `life` seconds left of `lifetime`.
    static func session(
        _ name: String = "first", life: Double = 3600, of lifetime: Double = 3600, refresh: Bool = true,
        state: SessionState = .ok, lastError: String? = nil,
        client: Client = Client(ClientID("http://localhost?scope=atproto")), issuer: String = pds
    ) throws -> Session {
        Session(
            credential: .oauth(
                OAuthCredential(
                    issuer: try Issuer(validating: issuer, profile: .atproto, policy: NetworkPolicy()),
                    client: client, key: try DPoPKey())),
            createdAt: start,
            accessToken: AccessToken("\(name)-access"),
            refreshToken: refresh ? RefreshToken("\(name)-refresh") : nil,
            accessExpiresAt: start.addingTimeInterval(life),
            obtainedAt: start.addingTimeInterval(life - lifetime), scope: Scope("atproto"),
            state: state, lastError: lastError)
    }

    static func account(
        did: String = did, handle: String? = "alice.example.com", label: String? = nil,
        devNetwork: String? = nil, pds: String = pds, addedAt: Date = start
    ) throws -> Account {
        return Account(
            id: UUID(), did: try DID(validating: did),
            handle: try handle.map { try Handle(validating: $0) }, label: label,
            pds: try HTTPURL(validating: devNetwork ?? pds).origin,
            devNetwork: try devNetwork.map { try HTTPURL(validating: $0).origin },
            addedAt: addedAt)
    }

    /// Has the cache of identities say that the account is at another server.
    func remember(pds: String) throws {
        for name in caches.names where name.hasPrefix("identities/did-") {
            let text = String(decoding: caches.read(name) ?? [], as: UTF8.self)
            caches.write(name, Array(text.replacing("\"\(Self.pds)\"", with: "\"\(pds)\"").utf8))
        }
    }

    /// Saves an account and answers its id.
    @discardableResult
    func add(_ session: Session, _ account: Account? = nil) async throws -> UUID {
        let account = try account ?? Self.account()
        let id = try await environment.accounts.saveLogin(account, session, at: Self.start) {
            [accounts] holder async throws(VaultError) in
            try await accounts.lock(holder.id, timeout: .zero)
        }.account.id
        _ = try accounts.activate(afterLogin: id, isWanted: false)
        return id
    }

    /// Puts another session in place, as another process does.
    func store(_ session: Session, of id: UUID) async throws {
        let lock = try await accounts.lock(id, timeout: .zero)
        try accounts.vault.replaceSession(session.record, of: id, under: lock)
    }

    /// The intent that is kept for an account.
    func intent(of id: UUID) async throws -> RotationIntent? {
        let lock = try await accounts.lock(id, timeout: .zero)
        return try accounts.vault.intent(of: id, under: lock)
    }

    /// Refreshes as a process of its own would.
    @discardableResult
    func refresh(
        _ id: UUID, minimumLife: Double? = nil, forced: Bool = false, lockTimeout: Duration = .zero
    ) async throws -> (RefreshOutcome, Session) {
        try await RefreshFlow(environment.context).refresh(
            id, options: .init(minimumLife: minimumLife, isForced: forced), lockTimeout: lockTimeout)
    }

    /// Does what `call` does before it sends anything.
    @discardableResult
    func renew(_ id: UUID) async throws -> (RefreshOutcome, Session) {
        try await RefreshFlow(environment.context).renew(id, options: .init(), lockTimeout: .zero)
    }

    /// The refresh tokens that were sent.
    var spent: [String] {
        network.requests(to: Self.token).compactMap { $0.form?.single("refresh_token") }
    }
}

extension Session {
    /// The name that its tokens were made from.
    var name: String { accessToken.reveal().replacing("-access", with: "") }
}

extension LogoutFlow.Revocation {
    static let confirmed = Self.answered(.confirmed)
}
