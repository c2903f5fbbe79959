import Foundation

extension PersonalDataServer {
    /// Sessions by password (`protocol` section 7).
    var passwordMethods: [String: XRPCMethod] {
        [
            "com.atproto.server.createSession": XRPCMethod(
                verb: .procedure,
                input: .json(required: ["identifier", "password"]),
                access: .open,
                grant: "createSession"
            ) { (call) throws(XRPCFailure) in
                try await createSession(call)
            },
            "com.atproto.server.refreshSession": XRPCMethod(
                verb: .procedure, access: .refresh(allowsExpired: false), grant: "refreshSession"
            ) { (call) throws(XRPCFailure) in
                let caller = try call.requireCaller()
                guard let rotated = await passwordSessions.rotate(caller.refreshTokenID ?? "") else {
                    throw XRPCFailure(400, "ExpiredToken", "Token has been revoked", .jwtRevoked)
                }
                call.exchange.note { $0.consumed = rotated.isFirst }
                return tokens(rotated.grant, for: caller.account)
            },
            "com.atproto.server.deleteSession": XRPCMethod(
                verb: .procedure, access: .deletion, grant: "deleteSession"
            ) { (call) throws(XRPCFailure) in
                let ended = await passwordSessions.revoke(try call.requireCaller().refreshTokenID ?? "")
                call.exchange.note { $0.sessionEnded = ended }
                return Answer(status: 200)
            },
        ]
    }

    /// The account password, or an app password, which needs no second factor (`protocol:A1`, `A2`).
    private func createSession(_ call: XRPCCall) async throws(XRPCFailure) -> Answer {
        guard let identifier = call.input["identifier"]?.string, let password = call.input["password"]?.string
        else {
            throw .invalidRequest("Error: Input/identifier and Input/password must be strings")
        }
        let refused = XRPCFailure(
            401, "AuthenticationRequired", "Invalid identifier or password", .wrongPassword)
        guard let account = account(named: identifier) else { throw refused }
        call.exchange.note { $0.account = account.did }
        if let app = account.appPasswords.first(where: { $0.text == password }) {
            let scope = app.isPrivileged ? Caller.PasswordScope.privilegedApp : .app
            let grant = await passwordSessions.begin(for: account.did, scope: scope, appPassword: app.text)
            return tokens(grant, for: account)
        }
        guard password == account.password else { throw refused }
        if let factor = account.emailFactor {
            guard let given = call.input["authFactorToken"]?.string, !given.isEmpty else {
                throw XRPCFailure(
                    401, "AuthFactorTokenRequired", "A sign in code has been sent to your email address")
            }
            guard given.uppercased() == factor.uppercased() else {
                throw XRPCFailure(400, "InvalidToken", "Token is invalid")
            }
        }
        let grant = await passwordSessions.begin(for: account.did, scope: .account, appPassword: nil)
        return tokens(grant, for: account)
    }

    /// Finds an account by e-mail address if the name contains `@`, else by handle or DID.
    private func account(named identifier: String) -> Account? {
        let name = identifier.trimmingCharacters(in: .whitespaces)
        guard name.contains("@") else { return accounts.find(name) }
        return accounts.all.first { $0.email == name.lowercased() }
    }

    private func tokens(_ grant: PasswordSessions.Grant, for account: Account) -> Answer {
        let issued = Int(grant.issued.timeIntervalSince1970)
        func claims(
            _ scope: Caller.PasswordScope, lifetime: Duration, _ extra: [JSONMember]
        ) -> JSONValue {
            .object(
                [
                    JSONMember(name: "scope", value: .string(scope.rawValue)),
                    JSONMember(name: "aud", value: .string(origins.personalDataServerDID)),
                    JSONMember(name: "sub", value: .string(grant.did)),
                    JSONMember(name: "iat", value: JSONValue(issued)),
                    JSONMember(name: "exp", value: JSONValue(issued + Int(lifetime.timeInterval))),
                ] + extra)
        }
        let rules = profile.passwords
        let identifier = [JSONMember(name: "jti", value: .string(grant.identifier))]
        let access = claims(
            grant.scope, lifetime: rules.accessLifetime, rules.accessEndsWithRefresh ? identifier : [])
        let refresh = claims(.refresh, lifetime: rules.refreshLifetime, identifier)
        let signer = self.access.passwordTokens
        var answer = description(of: account, withEmail: true)
        answer.set(.string(signer.token(type: "at+jwt", claims: access)), at: "/accessJwt")
        answer.set(.string(signer.token(type: "refresh+jwt", claims: refresh)), at: "/refreshJwt")
        return .json(answer)
    }

    /// The members that describe an account in getSession, createSession and refreshSession.
    func description(of account: Account, withEmail: Bool) -> JSONValue {
        var members: [JSONMember] = [
            JSONMember(name: "did", value: .string(account.did)),
            JSONMember(name: "handle", value: .string(account.handle)),
            JSONMember(name: "didDoc", value: directory.document(of: account)),
        ]
        if withEmail {
            members.append(JSONMember(name: "email", value: .string(account.email)))
            members.append(JSONMember(name: "emailConfirmed", value: true))
            if account.emailFactor != nil { members.append(JSONMember(name: "emailAuthFactor", value: true)) }
        }
        let isActive = accounts.isActive(account)
        members.append(JSONMember(name: "active", value: .bool(isActive)))
        if !isActive { members.append(JSONMember(name: "status", value: "deactivated")) }
        return .object(members)
    }
}
