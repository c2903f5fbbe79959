internal import ATPNetworking
internal import ATProtoXRPC
internal import HTTPTypes
internal import OAuthDPoP

/// Calls with the Bearer token of an app password (protocol:App-passwords; protocol:X12).
struct BearerResource: Sendable {
    let transport: any HTTPTransport

    /// Sends a call and recognizes a response that refuses the token (400 `ExpiredToken` at the reference server, 401
    /// elsewhere; protocol:A6).
    func send(
        _ request: TransportRequest, accessToken: AccessToken
    ) async throws(TransportError) -> ResourceResponse {
        var request = request
        request.headerFields[.authorization] = "Bearer \(accessToken.reveal())"
        let response = try await transport.send(request)
        guard response.status == 400 || response.status == 401 else { return .answered(response) }
        let body = try await response.body.beginning(upTo: XRPCError.longestBody)
        let error = XRPCError(status: response.status, headerFields: response.headerFields, body: body)
        let whole = response.with(body: body)
        let isOver =
            error.name == "ExpiredToken" || (error.status == 401 && error.name.map(Self.isOver) ?? true)
        return isOver ? .invalidToken(whole) : .answered(whole)
    }

    /// 401 can also mean a suspended account. Then new tokens do not help (protocol:PDS-errors).
    private static func isOver(_ name: String) -> Bool {
        !["AccountTakedown", "AccountDeactivated", "AccountNotFound", "AuthMissing"].contains(name)
    }
}
