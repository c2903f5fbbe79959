import ATPJSON
import ATPNetworking
import ATProtoOAuth
import BskyAuthCovers
import BskyAuthTestSupport
import Testing

@testable import OAuthDPoP

@Suite("AuthorizationResponse") struct AuthorizationResponseTests {
    private let issuer: Issuer
    private let state = State(value: "the-state")

    init() throws {
        issuer = try Issuer(validating: "https://pds.test", profile: .atproto, policy: NetworkPolicy())
    }

    private func read(_ query: String) -> Result<AuthorizationResponse, AuthorizationResponseError> {
        Result { () throws(AuthorizationResponseError) in
            try AuthorizationResponse(query: query, expectedState: state, issuer: issuer, needsIssuer: true)
        }
    }

    private func error(_ query: String) -> AuthorizationResponseError? {
        if case .failure(let error) = read(query) { error } else { nil }
    }

    @Test("hands over the code of our own request", .covers("R37"))
    func accepts() throws {
        let response = try read("iss=https%3A%2F%2Fpds.test&state=the-state&code=cod-1%2B2").get()
        #expect(response.code.reveal() == "cod-1+2")
    }

    @Test("reads the recorded redirects")
    func recorded() throws {
        let accepted = try Transcript(200)
        let response = try AuthorizationResponse(
            query: #require(accepted.redirectQuery),
            expectedState: State(value: #require(accepted.json["decoded"]?["query"]?["state"]?.string)),
            issuer: issuer, needsIssuer: true)
        #expect(response.code.reveal() == accepted.json["decoded"]?["query"]?["code"]?.string)
        for (number, text) in [(201, "The user rejected the request"), (210, "This request has expired")] {
            let rejected = try Transcript(number)
            let state = State(value: try #require(rejected.json["decoded"]?["query"]?["state"]?.string))
            let query = try #require(rejected.redirectQuery)
            #expect(throws: AuthorizationResponseError.refused(error: "access_denied", description: text)) {
                try AuthorizationResponse(
                    query: query, expectedState: state, issuer: issuer, needsIssuer: true)
            }
        }
    }

    @Test(
        "ignores what is not about our request", .covers("R37", "13.6"),
        arguments: [
            ("", .stateMissing), ("code=c&iss=https%3A%2F%2Fpds.test", .stateMissing),
            ("state=other&error=access_denied", .stateMismatch), ("state=&code=c", .stateMismatch),
            ("state=the-state2&code=c", .stateMismatch), ("state=%zz", .malformed),
            ("state=the-state&state=the-state&code=c", .malformed),
            ("state=the-state&code=c&code=d&iss=https%3A%2F%2Fpds.test", .malformed),
            ("state=the-state&iss=https%3A%2F%2Fpds.test&iss=https%3A%2F%2Fevil.test&code=c", .malformed),
        ] as [(String, AuthorizationResponseError)])
    func foreign(query: String, expected: AuthorizationResponseError) {
        #expect(error(query) == expected)
        #expect(expected.belongsToThisRequest == false)
    }

    @Test("refuses an answer that is too long to be one")
    func tooLong() {
        let padding = String(repeating: "a", count: 20_000)
        #expect(error("state=the-state&x=\(padding)") == .malformed)
    }

    @Test(
        "refuses what its server can't have sent, before the code is looked at", .covers("R38", "R39", "C10"),
        arguments: [
            ("state=the-state&code=c", .issuerMissing),
            (
                "state=the-state&iss=https%3A%2F%2Fevil.test&code=c",
                .issuerMismatch(found: "https://evil.test")
            ),
            (
                "state=the-state&iss=https%3A%2F%2Fpds.test%2F&code=c",
                .issuerMismatch(found: "https://pds.test/")
            ),
            ("state=the-state&iss=https%3A%2F%2FPDS.test&code=c", .issuerMismatch(found: "https://PDS.test")),
            ("state=the-state&iss=&code=c", .issuerMismatch(found: "")),
            (
                "state=the-state&iss=https%3A%2F%2Fevil.test&error=e",
                .issuerMismatch(found: "https://evil.test")
            ),
            ("state=the-state&iss=https%3A%2F%2Fpds.test", .codeMissing),
            ("state=the-state&iss=https%3A%2F%2Fpds.test&code=", .codeMissing),
        ] as [(String, AuthorizationResponseError)])
    func refuses(query: String, expected: AuthorizationResponseError) {
        #expect(error(query) == expected)
        #expect(expected.belongsToThisRequest)
    }

    @Test("believes a refusal without an issuer, even beside a code", .covers("R39"))
    func refusal() {
        #expect(
            error("state=the-state&error=access_denied") == .refused(error: "access_denied", description: nil)
        )
        #expect(
            error("state=the-state&iss=https%3A%2F%2Fpds.test&error=e&error_description=a%1Bb&code=c")
                == .refused(error: "e", description: "a\u{fffd}b"))
    }
}
