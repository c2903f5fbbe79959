import BskyAuthCovers
import BskyAuthEndToEnd
import Foundation
import Testing

@Suite("Tells what a PDS refuses", .serialized, .fewAtOnce)
struct CallTests {
    /// An answer to a call, and what has to come of it.
    struct Answer: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let action: String
        let refusal: Refusal
    }

    static let answers = [
        Answer(
            testDescription: "a rate limit until the end of time",
            action: Fault.respond(
                429, #"{"error":"RateLimitExceeded"}"#,
                headers: #""ratelimit-reset":"9223372036854775807","retry-after":"9223372036854775807""#),
            refusal: Refusal(9, "rate_limited", says: "rate limit of")),
        Answer(
            testDescription: "500 with a hostile message",
            action: Fault.respond(
                500, #"{"error":"Oops\u001b[2J","message":"\u202e\u0007\nbskyauth: fine"}"#),
            refusal: Refusal(11, "server_error", says: "failed")),
        Answer(
            testDescription: "a page with 502", action: Fault.page(502),
            refusal: Refusal(11, "server_error", says: "HTTP 502")),
        Answer(
            testDescription: "501 for a method that is not known",
            action: Fault.respond(
                501, #"{"error":"MethodNotImplemented","message":"Method Not Implemented"}"#),
            refusal: Refusal(10, "unknown_method", says: "does not know com.atproto.server.getSession")),
        Answer(
            testDescription: "a page with 501", action: Fault.page(501),
            refusal: Refusal(11, "server_error", says: "HTTP 501")),
        Answer(
            testDescription: "403 for a missing scope",
            action: Fault.respond(
                403, #"{"error":"ScopeMissingError","message":"Missing required scope \"blob:*/*\""}"#),
            refusal: Refusal(8, "scope_missing", says: "blob:*/*")),
        Answer(
            testDescription: "400", action: Fault.respond(400, #"{"error":"InvalidRequest","message":"no"}"#),
            refusal: Refusal(10, "refused", says: "InvalidRequest: no")),
        Answer(
            testDescription: "a redirect",
            action: Fault.respond(302, #""""#, headers: #""location":"http://127.0.0.1:9/""#),
            refusal: Refusal(
                10, "refused", says: "a redirect to http://127.0.0.1:9/, which is not followed (HTTP 302)")),
        Answer(
            testDescription: "dropped", action: #"{"drop":"before"}"#,
            refusal: Refusal(12, "connection_lost", says: "was lost")),
    ]

    @Test("once, and keeps the session", .covers("R62", "X6"), arguments: answers)
    func answer(answer: Answer) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn()
        try await sandbox.setFaults(
            "[\(Fault.at("/xrpc/com.atproto.server.getSession", answer.action))]")
        for reader in Reader.allCases {
            try await sandbox.resetJournal()
            try await home.expect(
                answer.refusal, of: ["call", "com.atproto.server.getSession"], for: reader)
            #expect(try await Journal(sandbox).entries.count == 1)
        }
        #expect(try await home.state() == "ok")
    }
}
