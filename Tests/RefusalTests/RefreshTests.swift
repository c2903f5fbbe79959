import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite("Loses no session to a refresh that fails", .serialized, .fewAtOnce)
struct RefreshTests {
    private static let call = ["call", "com.atproto.server.getSession"]

    /// An answer to the refresh token after which the session has to be as good as before.
    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let action: String
        let refusal: Refusal
        /// Whether the access token is as good as before.
        var serves = true
    }

    static let failures = [
        Failure(
            testDescription: "500", action: Fault.respond(500, #"{"error":"server_error"}"#),
            refusal: Refusal(11, "server_error", says: "the token endpoint failed")),
        Failure(
            testDescription: "a page with 502", action: Fault.page(502),
            refusal: Refusal(11, "server_error", says: "HTTP 502")),
        Failure(
            testDescription: "a page with 200", action: Fault.page(200),
            refusal: Refusal(11, "malformed_response", says: "HTTP 200")),
        Failure(
            testDescription: "429", action: Fault.respond(429, #"{"error":"rate_limit_exceeded"}"#),
            refusal: Refusal(9, "rate_limited", says: "rate limit")),
        Failure(
            testDescription: "401 that is not about the grant",
            action: Fault.respond(401, #"{"error":"invalid_client"}"#),
            refusal: Refusal(11, "refused", says: "refused: invalid_client")),
        Failure(
            testDescription: "a page that says invalid_grant",
            action: Fault.respond(
                400, #""<p>invalid_grant</p>""#, headers: #""content-type":"text/html""#),
            refusal: Refusal(11, "server_error", says: "HTTP 400")),
        Failure(
            testDescription: "dropped before", action: #"{"drop":"before"}"#,
            refusal: Refusal(12, "refresh_unanswered", says: "is not known whether")),
        Failure(
            testDescription: "dropped after", action: #"{"drop":"after"}"#,
            refusal: Refusal(12, "refresh_unanswered", says: "is not known whether"), serves: false
        ),
        Failure(
            testDescription: "a nonce asked for again and again",
            action: Fault.respond(400, #"{"error":"use_dpop_nonce"}"#, headers: #""dpop-nonce":"again""#),
            refusal: Refusal(10, "nonce_refused", says: "keeps asking")),
    ]

    @Test(
        "keeps the record, and the access token serves", .covers("R65", "12.5", "H7"), arguments: failures,
        Reader.allCases)
    func failure(failure: Failure, reader: Reader) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        let id = try await home.signIn()
        let session = "accounts/\(id)/session"
        let before = try home.vaultContent()[session]
        try await sandbox.setFaults("[\(Fault.refresh(failure.action))]")
        try await sandbox.resetJournal()
        try await home.expect(
            failure.refusal, of: ["refresh", "--force"], for: reader, givesResults: true, changesVault: true)
        let requests = try await Journal(sandbox).requests(to: Fault.token).count
        #expect(requests == (failure.refusal.code == "nonce_refused" ? 2 : 1))
        #expect(try home.vaultContent()[session] == before)
        #expect(try await home.state() == "ok")

        // A reference PDS ends the old access token when it rotates; LostAnswerTests go on from there.
        guard failure.serves else { return }
        try await sandbox.resetJournal()
        let call = try await home.attempt(Self.call)
        #expect(call.status == 0, "\(call.errors)")
        // A refresh that the server may have made is reported while the access token lives.
        let refresh = try await home.attempt(["refresh", "--json"])
        // An answer about the client leaves an intent too, but the server did not look at the token.
        let mayHideRotation =
            try failure.refusal.code != "refused"
            && home.vaultContent().keys.contains("accounts/\(id)/intent")
        #expect((refresh.errorLine?.code == "refresh_unclear") == mayHideRotation, "\(refresh.errors)")
        #expect((refresh.status == 0) != mayHideRotation, "\(refresh.errors)")
        #expect(try await Journal(sandbox).requests(to: Fault.token).isEmpty)
    }

    @Test(
        "believes invalid_grant, says so, and asks no more", .covers("H7"),
        .enabled(if: ServerProfile.current.saysInvalidGrant, "this server never says invalid_grant"),
        arguments: Reader.allCases)
    func invalidGrant(reader: Reader) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn()
        try await sandbox.endSessions(of: try #require(try await home.listing().first?["did"] as? String))
        try await sandbox.resetJournal()
        let ended = Refusal(4, "session_expired", says: "the session of @alice.test ended")
        try await home.expect(
            ended, of: ["refresh", "--force"], for: reader, givesResults: true, changesVault: true)
        #expect(try await Journal(sandbox).grants("refresh_token").count == 1)
        try await expectNoMore(ended, sandbox, home, reader)
    }

    @Test(
        "says that a session may be over where both servers refuse it and none says invalid_grant",
        .covers("12.5"),
        arguments: Reader.allCases)
    func unexplained(reader: Reader) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn()
        let token = Fault.respond(
            401, #"{"error":"invalid_token"}"#, headers: #""www-authenticate":"DPoP error=\"invalid_token\"""#
        )
        let grant = Fault.respond(400, #"{"error":"\"client_id\" mismatch"}"#)
        try await sandbox.setFaults(
            "[\(Fault.at("/xrpc/com.atproto.server.getSession", token)),\(Fault.refresh(grant))]")
        let uncertain = Refusal(4, "session_uncertain", says: "did not say that the session has ended")
        try await home.expect(uncertain, of: Self.call, for: reader, changesVault: true)
        try await expectNoMore(uncertain, sandbox, home, reader, state: "uncertain")
        try await sandbox.setFaults("[]")
        let forced = try await home.attempt(["refresh", "--force"])
        #expect(forced.status == 0, "\(forced.errors)")
        #expect(try await home.state() == "ok")
    }

    @Test(
        "does not replay a refused grant because of a nonce beside it", .covers("R65", "B11"),
        arguments: Reader.allCases)
    func nonceBesideInvalidGrant(reader: Reader) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn()
        let action = Fault.respond(400, #"{"error":"invalid_grant"}"#, headers: #""dpop-nonce":"another""#)
        try await sandbox.setFaults("[\(Fault.refresh(action))]")
        try await sandbox.resetJournal()
        let ended = Refusal(4, "session_expired", says: "the session of @alice.test ended")
        try await home.expect(
            ended, of: ["refresh", "--force"], for: reader, givesResults: true, changesVault: true)
        #expect(try await Journal(sandbox).requests(to: Fault.token).count == 1)
    }

    static let wrong = [
        Failure(
            testDescription: "sub of another account",
            action: Fault.set(#""/sub":"did:plc:b3rnvy7fnt5t66zs3gkfsvn3""#),
            refusal: Refusal(13, "wrong_subject", says: "did:plc:b3rnvy7fnt5t66zs3gkfsvn3")),
        Failure(
            testDescription: "token_type Bearer", action: Fault.set(#""/token_type":"Bearer""#),
            refusal: Refusal(13, "bad_token_response", says: "type Bearer")),
        Failure(
            testDescription: "scope without atproto", action: Fault.set(#""/scope":"transition:generic""#),
            refusal: Refusal(13, "bad_token_response", says: "scope atproto")),
    ]

    @Test(
        "keeps tokens that do not verify from use, and revokes them", .covers("R71"), arguments: wrong,
        Reader.allCases)
    func quarantine(wrong: Failure, reader: Reader) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn()
        try await sandbox.setFaults("[\(Fault.refresh(wrong.action))]")
        try await sandbox.resetJournal()
        try await home.expect(
            wrong.refusal, of: ["refresh", "--force"], for: reader, givesResults: true, changesVault: true)
        let journal = try await Journal(sandbox)
        let grants = journal.grants("refresh_token")
        #expect(grants.count == 1)
        let revocations = journal.revocations(provenBy: grants.first?.key)
        #expect(revocations.count == (ServerProfile.current.revokes ? 1 : 0))
        try await sandbox.setFaults("[]")
        try await expectNoMore(
            Refusal(4, "session_quarantined", says: "could not be verified"), sandbox, home, reader)
    }

    /// The record stays and says what it is; commands refuse without asking anybody.
    private func expectNoMore(
        _ refusal: Refusal, _ sandbox: Sandbox, _ home: Home, _ reader: Reader, state: String = "expired",
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        #expect(try await home.state() == state, sourceLocation: sourceLocation)
        try await sandbox.resetJournal()
        try await home.expect(refusal, of: Self.call, for: reader, sourceLocation: sourceLocation)
        try await home.expect(
            refusal, of: ["refresh"], for: reader, givesResults: true, sourceLocation: sourceLocation)
        #expect(try await Journal(sandbox).entries.isEmpty, sourceLocation: sourceLocation)
    }
}
