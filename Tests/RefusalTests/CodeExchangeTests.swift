import BskyAuthCovers
import BskyAuthEndToEnd
import Testing

@Suite("Refuses to log in where the code brings no tokens", .serialized, .fewAtOnce)
struct CodeExchangeTests {
    private static func exchange(
        _ name: String, _ action: String, _ status: Int32, _ code: String, says: String
    ) -> RefusedLogin {
        RefusedLogin(name, Fault.code(action), refusal: Refusal(status, code, says: says), exchanges: 1)
    }

    static let answers = [
        exchange(
            "invalid_grant",
            Fault.respond(400, #"{"error":"invalid_grant","error_description":"Code\u001b[2J <b>expired"}"#),
            10, "refused", says: "the token endpoint refused: invalid_grant"),
        exchange(
            "invalid_grant with a nonce, which is no challenge",
            Fault.respond(400, #"{"error":"invalid_grant"}"#, headers: #""dpop-nonce":"another""#), 10,
            "refused", says: "invalid_grant"),
        exchange(
            "500", Fault.respond(500, #"{"error":"server_error"}"#), 11, "server_error",
            says: "the token endpoint failed"),
        exchange("a page with 502", Fault.page(502), 11, "server_error", says: "HTTP 502"),
        exchange("dropped before", #"{"drop":"before"}"#, 12, "connection_lost", says: "was lost"),
        exchange("dropped after", #"{"drop":"after"}"#, 12, "connection_lost", says: "was lost"),
        exchange(
            "no JSON", #"{"raw_body":"{\"access_token\":"}"#, 12, "malformed_response", says: "HTTP 200"),
        exchange(
            "names given twice",
            #"{"raw_body":"{\"access_token\":\"a\",\"access_token\":\"b\",\"token_type\":\"DPoP\"}"}"#, 12,
            "malformed_response", says: "HTTP 200"),
        exchange(
            "no access token", Fault.remove("/access_token"), 12, "malformed_response", says: "HTTP 200"),
        exchange(
            "a body that is cut off", #"{"truncate":20,"promise_all":true}"#, 12, "connection_lost",
            says: "was lost"),
        exchange("429", Fault.respond(429, #"{"error":"slow_down"}"#), 9, "rate_limited", says: "rate limit"),
    ]

    @Test("asks once and saves nothing", .covers("R42"), arguments: answers)
    func answer(login: RefusedLogin) async throws {
        try await login.expectRefusal()
    }

    @Test("gives up where every answer asks for another nonce", .covers("R57"))
    func nonceStorm() async throws {
        let storm = Fault.respond(
            400, #"{"error":"use_dpop_nonce"}"#, headers: #""dpop-nonce":"again""#)
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox, ["BSKYAUTH_BROWSER": Home.curl])
        try await sandbox.setFaults("[\(Fault.code(storm))]")
        for reader in Reader.allCases {
            try await sandbox.resetJournal()
            try await home.expect(
                Refusal(10, "nonce_refused", says: "keeps asking"), of: ["login", "alice.test"],
                for: reader)
            #expect(try await Journal(sandbox).requests(to: Fault.token).count <= 2)
        }
    }
}
