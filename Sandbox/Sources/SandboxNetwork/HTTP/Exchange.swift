import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore
import Synchronization

/// One request, with the facts for its journal line.
final class Exchange: Sendable {
    let role: Role
    let method: String
    /// The path without its query, as it was sent.
    let path: String
    let rawQuery: String?
    let query: FormBody
    let headers: HTTPFields
    /// The `Host` header.
    let authority: String?
    private let incoming: RequestBody
    private let collected = Mutex<[UInt8]?>(nil)
    private let noted = Mutex(ExchangeNotes())

    init(role: Role, request: Request) {
        let target = request.head.path ?? "/"
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        self.role = role
        method = request.head.method.rawValue
        path = parts.first.map(String.init) ?? "/"
        rawQuery = parts.count > 1 ? String(parts[1]) : nil
        query = FormBody(urlencoded: parts.count > 1 ? String(parts[1]) : "")
        headers = request.head.headerFields
        authority = request.head.authority
        incoming = request.body
    }

    /// The method for routing: HEAD is GET without the body (RFC 9110 §9.3.2).
    var routedMethod: String { method == "HEAD" ? "GET" : method }

    /// Whether this is a CORS preflight (Fetch, "CORS-preflight").
    var isPreflight: Bool {
        method == "OPTIONS" && header("origin") != nil && header("access-control-request-method") != nil
    }

    /// The first value of a header field.
    func header(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { headers[$0] }
    }

    /// Every value of a header field that may wrongly come more than once.
    func headerValues(_ name: String) -> [String] {
        HTTPField.Name(name).map { headers[values: $0] } ?? []
    }

    /// The media type of the request's body, without parameters.
    var mediaType: String? {
        header("content-type").map { type in
            (type.split(separator: ";").first.map(String.init) ?? type)
                .trimmingCharacters(in: .whitespaces).lowercased()
        }
    }

    /// Whether the request announces a body (RFC 9112 §6).
    var announcesBody: Bool {
        if let length = header("content-length") { return length != "0" }
        return header("transfer-encoding") != nil
    }

    /// The cookies the browser sent.
    var cookies: [String: String] {
        var result: [String: String] = [:]
        for line in headerValues("cookie") {
            for pair in line.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1).map {
                    $0.trimmingCharacters(in: .whitespaces)
                }
                if parts.count == 2 { result[parts[0]] = parts[1] }
            }
        }
        return result
    }

    /// The client closed the connection before the announced body was complete.
    struct BodyCut: Error {}

    /// Whether the received size is the announced one. Without this check a cut connection looks like the end.
    func arrivedWhole(_ count: Int) -> Bool {
        header("content-length").flatMap { Int($0) }.map { $0 == count } ?? true
    }

    /// The whole body, read once and kept. Throws when it is longer than `limit`.
    func body(upTo limit: Int) async throws -> [UInt8] {
        if let bytes = collected.withLock({ $0 }) { return bytes }
        let buffer = try await incoming.collect(upTo: limit)
        let bytes = Array(buffer.readableBytesView)
        guard arrivedWhole(bytes.count) else { throw BodyCut() }
        collected.withLock { $0 = bytes }
        return bytes
    }

    /// The body in pieces, for uploads. It can be read once, and not after ``body(upTo:)``.
    var stream: RequestBody { incoming }

    /// The facts for the journal line.
    var notes: ExchangeNotes { noted.withLock { $0 } }

    func note(_ change: (inout ExchangeNotes) -> Void) {
        noted.withLock { change(&$0) }
    }
}

/// Facts about a request, for the journal.
struct ExchangeNotes: Sendable {
    /// How a request at the PDS was authorized.
    enum Authorization: String {
        case oauth
        case bearer
        /// At the service, with a service token.
        case service
    }

    var auth: Authorization?
    var proof: JSONValue?
    var jkt: String?
    var assertion: JSONValue?
    var athMatches: Bool?
    var account: String?
    var clientID: String?
    var grant: String?
    var consumed = false
    var sessionEnded = false
}
