import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite("Refuses to log in where the request is not accepted", .serialized, .fewAtOnce)
struct PushTests {
    private static func push(
        _ name: String, _ action: String, _ status: Int32, _ code: String, says: String, pushes: Int = 1
    ) -> RefusedLogin {
        RefusedLogin(
            name, Fault.at(Fault.push, action), refusal: Refusal(status, code, says: says), pushes: pushes)
    }

    static let answers = [
        push(
            "invalid_scope",
            Fault.respond(
                400, #"{"error":"invalid_scope","error_description":"Scope\u0007 \u202enot known"}"#),
            10, "refused", says: "the authorization server refused: invalid_scope"),
        // What may be about the redirect URI is tried once more with the port in it.
        push(
            "invalid_client_metadata",
            Fault.respond(400, #"{"error":"invalid_client_metadata","error_description":"no loopback"}"#), 10,
            "refused", says: "no loopback", pushes: 2),
        push("a page with 403", Fault.page(403), 11, "server_error", says: "HTTP 403"),
        push("500", Fault.respond(500, "{}"), 11, "server_error", says: "HTTP 500"),
        push("a page with 502", Fault.page(502), 11, "server_error", says: "HTTP 502"),
        push("dropped", #"{"drop":"before"}"#, 12, "connection_lost", says: "was lost"),
        push(
            "no request_uri", Fault.respond(201, #"{"expires_in":300}"#), 12, "malformed_response",
            says: "201"),
        push(
            "a redirect", Fault.respond(307, #""""#, headers: #""location":"http://127.0.0.1:9/""#), 10,
            "refused", says: "HTTP 307"),
        push(
            "a nonce asked for again and again",
            Fault.respond(400, #"{"error":"use_dpop_nonce"}"#, headers: #""dpop-nonce":"again""#), 10,
            "nonce_refused", says: "keeps asking", pushes: 2),
        push(
            "a nonce asked for and none given", Fault.respond(400, #"{"error":"use_dpop_nonce"}"#), 10,
            "nonce_refused", says: "keeps asking", pushes: 1),
    ]

    @Test("opens no page and saves nothing", .covers("R26"), arguments: answers)
    func answer(login: RefusedLogin) async throws {
        try await login.expectRefusal()
    }

    @Test("leads on where the server takes no client without a document, or not the permission set")
    func nextSteps() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        func fault(_ error: String, _ words: String) async throws {
            let answer = Fault.respond(400, #"{"error":"\#(error)","error_description":"\#(words)"}"#)
            try await sandbox.setFaults("[\(Fault.at(Fault.push, answer))]")
        }
        for (error, words) in [("invalid_client", "unknown"), ("invalid_request", "client_id must be https")]
        {
            try await fault(error, words)
            let result = try await home.expect(
                Refusal(10, "refused", says: "may take no client without a document on the web"),
                of: ["login", "alice.test"], for: .script)
            #expect(result.errors.contains("bskyauth login alice.test --app-password"), "\(result.errors)")
        }
        try await fault("invalid_scope", "Unable to resolve")
        for (others, next) in [
            (["--scope", "transition:email"], "--scope transition:email"), ([], "--scope atproto"),
        ] {
            let result = try await home.expect(
                Refusal(10, "refused", says: "could not use include:com.example.auth"),
                of: ["login", "alice.test", "--scope", "include:com.example.auth"] + others, for: .script)
            #expect(
                result.errors.contains("leave it out:  bskyauth login alice.test \(next)\""),
                "\(result.errors)")
        }
    }

    @Test("tells a script when a rate limit is over")
    func rateLimit() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        let limited = Fault.respond(
            429, #"{"error":"rate_limit_exceeded"}"#, headers: #""retry-after":"3600""#)
        try await sandbox.setFaults("[\(Fault.at(Fault.push, limited))]")
        let refusal = Refusal(9, "rate_limited", says: "rate limit of")
        try await home.expect(refusal, of: ["login", "alice.test"], for: .person)
        let result = try await home.expect(refusal, of: ["login", "alice.test"], for: .script)
        let line = try JSONSerialization.jsonObject(with: Data(result.errors.utf8)) as? [String: Any]
        let error = try #require(line?["error"] as? [String: Any])
        let time = try #require(error["retry_at"] as? String)
        let date = try Date(time, strategy: .iso8601)
        #expect(abs(date.timeIntervalSinceNow - 3600) < 60)
        #expect(error["http"] as? Int == 429)
    }
}
