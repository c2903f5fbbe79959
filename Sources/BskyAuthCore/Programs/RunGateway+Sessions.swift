package import ATPCryptography
internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoXRPC
internal import BskyAuthCore
internal import HTTPTypes

/// The methods of a PDS by which a program logs in and out, which the gateway answers itself.
enum SessionMethod: String {
    case create = "com.atproto.server.createSession"
    case refresh = "com.atproto.server.refreshSession"
    case get = "com.atproto.server.getSession"
    case delete = "com.atproto.server.deleteSession"

    /// nil for every other method. Upper and lower case don't count: the PDS must never get a secret of this run.
    init?(_ nsid: NSID) {
        let name = nsid.description.lowercased()
        guard
            let method = [Self.create, .refresh, .get, .delete].first(where: {
                $0.rawValue.lowercased() == name
            })
        else { return nil }
        self = method
    }

    fileprivate var kind: XRPCMethod { self == .get ? .query : .procedure }
}

extension Gateway {
    /// Answers a session method.
    ///
    /// A session of a program is a name in its tokens, and nothing else is stored. The account's own session is neither
    /// made nor refreshed nor ended by these methods.
    func play(
        _ method: SessionMethod, _ call: XRPCRequest, _ request: GatewayRequest
    ) async throws -> TransportResponse {
        guard call.method == method.kind else {
            throw Refusal.invalid("Incorrect HTTP method, expected \(method.kind == .query ? "GET" : "POST")")
        }
        switch method {
        case .create:
            let account = try await self.account(loggingInBy: call.body)
            request.vouch()
            try account.checkSession()
            return tokens(for: account, id: try RunKeys.sessionID())
        case .refresh:
            let user = try self.user(of: request, .refresh)
            try user.account.checkSession()
            return tokens(for: user.account, id: try user.session ?? RunKeys.sessionID())
        case .get:
            let account = try self.user(of: request, .access).account
            try account.checkSession()
            return .json(.object(Self.facts(of: account)))
        case .delete:
            if let session = try user(of: request, .refresh).session { keys.end(session) }
            return .json([:])
        }
    }

    private static let longestLogin = 64 << 10

    /// The account whose secret is the password. Its identifier must be the account's, so that no program acts as
    /// another account than it believes.
    private func account(loggingInBy body: RequestBody) async throws -> GatewayAccount {
        let bytes = try await Self.whole(body, upTo: Self.longestLogin)
        guard let json = try? JSONParser.parse(bytes), let password = json["password"]?.string,
            let identifier = json["identifier"]?.string
        else { throw Refusal.invalid("createSession takes identifier and password in JSON") }
        guard let account = account(ofSecret: password) else {
            throw Refusal(
                401, "AuthenticationRequired", "the password is not the secret of this run of bskyauth")
        }
        let name = identifier.lowercased()
        guard account.names.contains(name.hasPrefix("@") ? String(name.dropFirst()) : name) else {
            throw Refusal(
                401, "AuthenticationRequired",
                "this secret is for \(account.handle) (\(account.profile.did)); use that as the identifier")
        }
        return account
    }

    private func tokens(for account: GatewayAccount, id: String) -> TransportResponse {
        let tokens = tokens(of: account, id: id)
        var facts = Self.facts(of: account)
        facts["accessJwt"] = .string(tokens.access)
        facts["refreshJwt"] = .string(tokens.refresh)
        return .json(.object(facts))
    }

    /// The tokens of a new session of a program that does not log in itself.
    package func tokens(
        for account: GatewayAccount
    ) throws(CryptographyError) -> (access: String, refresh: String) {
        tokens(of: account, id: try RunKeys.sessionID())
    }

    private func tokens(of account: GatewayAccount, id: String) -> (access: String, refresh: String) {
        let did = account.profile.did.description
        return (
            keys.token(.access, did: did, id: id, now: now()),
            keys.token(.refresh, did: did, id: id, now: now())
        )
    }

    /// What is known of the account. It has no DID document: SDKs would leave for the PDS that it names.
    private static func facts(of account: GatewayAccount) -> JSONObject {
        [
            "did": .string(account.profile.did.description), "handle": .string(account.handle),
            "active": true,
        ]
    }
}
