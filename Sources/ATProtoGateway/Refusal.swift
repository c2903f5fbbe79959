internal import ATPJSON
internal import ATPNetworking
internal import HTTPTypes

/// An answer of the gateway itself instead of the PDS, in the form of XRPC errors (atproto.com/specs/xrpc, Error
/// Responses).
package struct Refusal: Error {
    let status: Int
    let name: String
    let message: String
    /// The seconds after which to ask again; nil if nothing is known.
    var retryAfter: Int?

    init(_ status: Int, _ name: String, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.name = name
        self.message = message
        self.retryAfter = retryAfter
    }

    static func invalid(_ message: String) -> Refusal { Refusal(400, "InvalidRequest", message) }

    static func forbidden(_ message: String) -> Refusal { Refusal(403, "Forbidden", message) }

    static let notFound = Refusal(404, "NotFound", "only methods below /xrpc/ are here")
    static let wrongMethod = Refusal(405, "InvalidRequest", "XRPC has only GET and POST")
    static let tooLarge = Refusal(413, "PayloadTooLarge", "the body is too long to be checked")
    static let unauthenticated = Refusal(
        401, "AuthenticationRequired", "the request has no token of this run of bskyauth")
    static let expired = Refusal(400, "ExpiredToken", "the token of this run has expired; refresh it")

    static let closed = Refusal(
        503, "ServiceUnavailable", "the vault was locked or got other keys; bskyauth must be started again")
    static let ending = Refusal(503, "ServiceUnavailable", "bskyauth is ending")
    static let failed = Refusal(
        500, "InternalServerError", "bskyauth failed to use the account; its messages say why")

    var response: TransportResponse {
        var fields: HTTPFields = [.cacheControl: "no-store"]
        if let retryAfter { fields[.retryAfter] = String(retryAfter) }
        return .json(["error": .string(name), "message": .string(message)], status: status, fields)
    }
}

extension TransportResponse {
    static func json(_ json: JSONValue, status: Int = 200, _ fields: HTTPFields = [:]) -> TransportResponse {
        let bytes = Array(json.text.utf8)
        var fields = fields
        fields[.contentType] = "application/json; charset=utf-8"
        fields[.contentLength] = String(bytes.count)
        return TransportResponse(
            status: status, headerFields: fields, body: ResponseBody(bytes))
    }
}
