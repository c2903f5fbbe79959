internal import ATPJSON
internal import ATPNetworking
internal import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoXRPC
internal import HTTPTypes

/// What the gateway says of itself, as a PDS does.
extension ProgramGateway {
    /// Whether a request asks for the health of the server. The path is no name of a method.
    static func asksForHealth(_ request: GatewayRequest) -> Bool {
        (request.method == .get || request.method == .head)
            && request.target.utf8.prefix { $0 != UInt8(ascii: "?") }.elementsEqual("/xrpc/_health".utf8)
    }

    static var health: TransportResponse { .json(["version": "bskyauth"]) }

    /// The answer to a request without a secret and token; nil if the request needs one.
    ///
    /// SDKs ask so before they log in. It tells what the run's address and its handles are, and nothing leaves this machine.
    func answerBeforeLogin(
        to call: XRPCRequest, _ request: ProgramRequest
    ) throws(Refusal) -> TransportResponse? {
        guard request.authorization.isEmpty, call.method == .query, call.service == nil else { return nil }
        switch call.nsid.description {
        case "com.atproto.server.describeServer":
            return .json(["did": .string(request.address.did), "availableUserDomains": []])
        case "com.atproto.identity.resolveHandle":
            let handle = call.parameters.single("handle")?.lowercased()
            guard let handle,
                let programAccount = accounts.first(where: {
                    $0.account.handle?.description.lowercased() == handle
                })
            else {
                throw .invalid("Unable to resolve handle: log in first, except for a handle of this run")
            }
            return .json(["did": .string(programAccount.account.did.description)])
        default: return nil
        }
    }

    /// The account's own profile, if the limits would refuse the question. SDKs ask it when they log in, and know no account
    /// without an answer. It has what the program knows anyway.
    func ownProfile(_ call: XRPCRequest, _ programAccount: ProgramAccount) async throws -> TransportResponse?
    {
        guard call.nsid.description == "app.bsky.actor.getProfile", call.method == .query,
            call.service == nil || call.service == AccessLimits.appView,
            let actor = call.parameters.single("actor"),
            programAccount.account.identifiers.contains(actor.lowercased()),
            gateway.forbids(call, as: programAccount.agent)
        else { return nil }
        try await programAccount.checkSession(waiting: gateway.longestWait)
        return .json([
            "did": .string(programAccount.account.did.description),
            "handle": .string(programAccount.account.publicHandle),
        ])
    }

    /// The call, in which the account's PDS has the name that services know it by.
    ///
    /// SDKs ask for a token whose audience is the server that they are at, such as for the upload of a video. That is this
    /// gateway, whose name is worth nothing elsewhere. The limits judge the real name.
    func naming(_ call: XRPCRequest, as agent: Agent, _ address: RunAddress) async throws -> XRPCRequest {
        guard call.nsid == .getServiceAuth, let audience = call.parameters.single("aud"),
            address.isNamed(by: audience)
        else { return call }
        let name = try await agent.storedAccount().pds.webDID
        var call = call
        let parameters = call.parameters.all
        call.parameters = FormParameters()
        for parameter in parameters {
            call.parameters.append(parameter.name, parameter.name == "aud" ? name : parameter.value)
        }
        return call
    }
}
