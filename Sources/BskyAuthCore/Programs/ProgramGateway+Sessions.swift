package import ATPCryptography
internal import ATPJSON
internal import ATPNetworking
internal import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoXRPC

extension ProgramGateway {
    /// Answers a session method.
    ///
    /// A session of a program is a name in its tokens, and nothing else is stored. The account's own session is neither
    /// made nor refreshed nor ended by these methods.
    func play(
        _ method: SessionMethod, _ call: XRPCRequest, _ request: ProgramRequest
    ) async throws -> TransportResponse {
        guard call.method == method.kind else { throw Refusal.wrongMethod(method) }
        switch method {
        case .create:
            let account = try await self.account(loggingInBy: call.body)
            request.secretShown()
            try await account.checkSession(waiting: gateway.longestWait)
            return session(of: account, id: try RunKeys.sessionID(), request.address)
        case .refresh:
            let user = try self.user(of: request, .refresh)
            try await user.account.checkSession(waiting: gateway.longestWait)
            return session(of: user.account, id: try user.session ?? RunKeys.sessionID(), request.address)
        case .get:
            let account = try self.user(of: request, .access).account
            try await account.checkSession(waiting: gateway.longestWait)
            return .json(.object(facts(of: account, request.address)))
        case .delete:
            if let session = try user(of: request, .refresh).session { keys.end(session) }
            return .json([:])
        }
    }

    private static let longestLogin = 64 << 10

    /// The account whose secret is the password. Its identifier must be the account's, so that no program acts as
    /// another account than it believes.
    private func account(loggingInBy body: RequestBody) async throws -> ProgramAccount {
        let bytes = try await Gateway.whole(body, upTo: Self.longestLogin)
        guard let json = try? JSONParser.parse(bytes), let password = json["password"]?.string,
            let identifier = json["identifier"]?.string
        else { throw Refusal.invalid("createSession takes identifier and password in JSON") }
        guard let programAccount = account(ofSecret: password) else {
            throw Refusal(
                401, "AuthenticationRequired", "the password is not the secret of this run of bskyauth")
        }
        var name = identifier.lowercased()
        if name.hasPrefix("@") { name.removeFirst() }
        guard programAccount.account.identifiers.contains(name) else {
            throw Refusal(
                401, "AuthenticationRequired",
                "this secret is for \(programAccount.account.publicHandle) (\(programAccount.account.did)); use that as the identifier"
            )
        }
        return programAccount
    }

    /// The account, as a program learns of it. Its DID document leads an SDK back to the gateway, and not to the PDS, where the
    /// secret is worthless.
    private func facts(of programAccount: ProgramAccount, _ address: RunAddress) -> JSONObject {
        var facts = SessionMethod.facts(of: programAccount.account)
        if let document = address.document(of: programAccount.account) { facts["didDoc"] = document }
        return facts
    }

    private func session(of account: ProgramAccount, id: String, _ address: RunAddress) -> TransportResponse {
        let tokens = tokens(of: account, id: id, address)
        var facts = facts(of: account, address)
        facts["accessJwt"] = .string(tokens.access)
        facts["refreshJwt"] = .string(tokens.refresh)
        return .json(.object(facts))
    }

    /// The tokens of a new session of a program that does not log in itself.
    package func tokens(
        for account: ProgramAccount, at address: RunAddress
    ) throws(CryptographyError) -> (access: String, refresh: String) {
        tokens(of: account, id: try RunKeys.sessionID(), address)
    }

    private func tokens(
        of programAccount: ProgramAccount, id: String, _ address: RunAddress
    ) -> (access: String, refresh: String) {
        func token(_ kind: RunKeys.Kind) -> String {
            keys.token(
                kind, did: programAccount.account.did.description, id: id, audience: address.did, now: now())
        }
        return (token(.access), token(.refresh))
    }
}
