package import ATPJSON
package import ATPNetworking
internal import ATProtoSessions
internal import ATProtoXRPC
internal import FoundationEssentials
package import HTTPTypes

/// An answer of the gateway itself instead of the PDS, in the form of XRPC errors (atproto.com/specs/xrpc, Error
/// Responses).
package struct Refusal: Error, Equatable {
    package let status: Int
    let name: String
    let message: String
    /// The seconds after which to ask again; nil if nothing is known.
    var retryAfter: Int?

    package init(_ status: Int, _ name: String, _ message: String, retryAfter: Int? = nil) {
        self.status = status
        self.name = name
        self.message = message
        self.retryAfter = retryAfter
    }

    package static func invalid(_ message: String) -> Refusal { Refusal(400, "InvalidRequest", message) }

    package static func forbidden(_ message: String) -> Refusal { Refusal(403, "Forbidden", message) }

    package static let notFound = Refusal(404, "NotFound", "only methods below /xrpc/ are here")
    static let wrongMethod = Refusal(405, "InvalidRequest", "XRPC has only GET and POST")
    package static func wrongMethod(_ method: SessionMethod) -> Refusal {
        .invalid("Incorrect HTTP method, expected \(method.kind == .query ? "GET" : "POST")")
    }
    static let noAccount = Refusal(401, "AuthenticationRequired", "the request is not from an account")
    package static let tooLarge = Refusal(413, "PayloadTooLarge", "the body is too long to be checked")
    package static let unreadableBody = invalid("the body could not be read to its end")
    package static let ending = Refusal(503, "ServiceUnavailable", "the gateway is ending")

    /// The answer when an account can't be used.
    ///
    /// SDKs that hear `ExpiredToken` refresh, and would do so for ever, so the end of a session is another error.
    init(_ failure: ATProtoFailure, at now: Date) {
        let words = failure.description
        switch failure.code {
        case .sessionEnded, .unknownAccount: self.init(401, "AuthenticationRequired", words)
        case .invalidArgument: self.init(400, "InvalidRequest", words)
        case .cancelled: self = .ending
        case .notRefreshed:
            let seconds = failure.retryAt.map { $0.timeIntervalSince(now).rounded(.up) } ?? 1
            self.init(503, "ServiceUnavailable", words, retryAfter: Int(max(1, seconds)))
        case .store where failure.mayPass:
            self.init(503, "ServiceUnavailable", "the session is in use; try again", retryAfter: 1)
        case .network where (failure.cause as? TransportError)?.code == .bodyUnreadable:
            self = .unreadableBody
        case .network, .refused, .unreadableAnswer, .xrpc: self.init(502, "UpstreamFailure", words)
        case _ where failure.mayPass: self.init(502, "UpstreamFailure", words)
        // It may name files of the server, so it is for the operator alone.
        default: self.init(500, "InternalServerError", "the account can't be used")
        }
    }

    package var response: TransportResponse {
        var fields: HTTPFields = [.cacheControl: "no-store"]
        if let retryAfter { fields[.retryAfter] = String(retryAfter) }
        return .json(["error": .string(name), "message": .string(message)], status: status, fields)
    }
}

extension TransportResponse {
    package static func json(_ json: JSONValue, status: Int = 200, _ fields: HTTPFields = [:])
        -> TransportResponse
    {
        let bytes = Array(json.text.utf8)
        var fields = fields
        fields[.contentType] = "application/json; charset=utf-8"
        fields[.contentLength] = String(bytes.count)
        return TransportResponse(
            status: status, headerFields: fields, body: ResponseBody(bytes))
    }
}
