/// Tokens for other services, signed with the key of the account's repository (`protocol:X13`).
extension PersonalDataServer {
    var serviceAuthMethods: [String: XRPCMethod] {
        [
            "com.atproto.server.getServiceAuth": XRPCMethod(
                verb: .query,
                parameters: ["aud"],
                authorize: { (call) throws(XRPCFailure) in
                    try requireCall(
                        call.parameter("lxm") ?? "*", call, service: call.parameter("aud") ?? "")
                }
            ) { (call) throws(XRPCFailure) in
                let method = call.parameter("lxm")
                let expiry = try expiry(call.parameter("exp"), isForMethod: method != nil)
                if let method, Self.protectedMethods.contains(method) {
                    throw .invalidRequest(
                        "cannot request a service auth token for the following protected method: \(method)")
                }
                let account = accounts.current(try call.requireCaller().account)
                let claims = claims(of: account, for: call.parameter("aud") ?? "", method, until: expiry)
                return .json(["token": .string(account.serviceToken(claims))])
            }
        ]
    }

    /// When a token ends: after a minute, or when the caller wants. A token for one method may last for an hour, one for
    /// any method for a minute.
    private func expiry(_ text: String?, isForMethod: Bool) throws(XRPCFailure) -> Int {
        let now = access.clock.now.timeIntervalSince1970
        guard let text else { return Int(now) + 60 }
        guard let expiry = Int(text) else { throw .invalidRequest("Error: exp must be an integer") }
        let life = Double(expiry) - now
        func refusal(_ words: String) -> XRPCFailure { XRPCFailure(400, "BadExpiration", words) }
        if life < 0 { throw refusal("expiration is in past") }
        if life > 3600 {
            throw refusal("cannot request a token with an expiration more than an hour in the future")
        }
        if !isForMethod, life > 60 {
            throw refusal(
                "cannot request a method-less token with an expiration more than a minute in the future")
        }
        return expiry
    }

    private func claims(
        of account: Account, for audience: String, _ method: String?, until expiry: Int
    ) -> JSONValue {
        var claims: [JSONMember] = [
            JSONMember(name: "iat", value: JSONValue(access.clock.seconds)),
            JSONMember(name: "iss", value: .string(account.did)),
            JSONMember(name: "aud", value: .string(audience)),
            JSONMember(name: "exp", value: JSONValue(expiry)),
        ]
        if let method { claims.append(JSONMember(name: "lxm", value: .string(method))) }
        claims.append(JSONMember(name: "jti", value: .string(RandomText.hex(bytes: 16))))
        return .object(claims)
    }

    /// Methods that manage an account. Tokens for them are not given to anybody (pipethrough.ts of the reference server).
    private static let protectedMethods: Set = [
        "com.atproto.admin.sendEmail", "com.atproto.identity.requestPlcOperationSignature",
        "com.atproto.identity.signPlcOperation", "com.atproto.identity.updateHandle",
        "com.atproto.server.activateAccount", "com.atproto.server.confirmEmail",
        "com.atproto.server.createAppPassword", "com.atproto.server.deactivateAccount",
        "com.atproto.server.getAccountInviteCodes", "com.atproto.server.listAppPasswords",
        "com.atproto.server.requestAccountDelete", "com.atproto.server.requestEmailConfirmation",
        "com.atproto.server.requestEmailUpdate", "com.atproto.server.revokeAppPassword",
        "com.atproto.server.updateEmail",
    ]
}

extension Account {
    /// A JWT of the account: ES256 with the key that its DID document publishes as `#atproto`.
    fileprivate func serviceToken(_ claims: JSONValue) -> String {
        let header: JSONValue = ["typ": "JWT", "alg": "ES256"]
        let input = Base64URL.encode(header.text.utf8) + "." + Base64URL.encode(claims.text.utf8)
        return input + "." + Base64URL.encode(signingKey.signature(for: Array(input.utf8)))
    }
}
