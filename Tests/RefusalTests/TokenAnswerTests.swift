import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Testing

@Suite("Refuses tokens that do not verify", .serialized, .fewAtOnce)
struct TokenAnswerTests {
    private static func tokens(_ name: String, _ action: String, _ code: String, says: String) -> RefusedLogin
    {
        RefusedLogin(
            name, Fault.code(action), refusal: Refusal(13, code, says: says), exchanges: 1, isRevoked: true)
    }

    static let answers = [
        tokens(
            "sub of another account", Fault.set(#""/sub":"did:plc:b3rnvy7fnt5t66zs3gkfsvn3""#),
            "wrong_subject", says: "did:plc:b3rnvy7fnt5t66zs3gkfsvn3"),
        tokens(
            "sub that is no DID", Fault.set(#""/sub":"alice\u001b[31m""#), "wrong_subject",
            says: "not name the account"),
        tokens("no sub", Fault.remove("/sub"), "bad_token_response", says: "not name the account"),
        tokens(
            "token_type Bearer", Fault.set(#""/token_type":"Bearer""#), "bad_token_response",
            says: "type Bearer, not DPoP"),
        tokens(
            "scope without atproto", Fault.set(#""/scope":"transition:generic""#), "bad_token_response",
            says: "did not grant the scope atproto"),
        tokens("no scope", Fault.remove("/scope"), "bad_token_response", says: "granted scopes"),
        tokens(
            "an ID token", Fault.set(#""/id_token":"e30.e30.e30""#), "bad_token_response", says: "ID token"),
    ]

    @Test("saves nothing and ends the session at its server", .covers("R43"), arguments: answers)
    func answer(login: RefusedLogin) async throws {
        try await login.expectRefusal()
    }

    @Test("refuses tokens that grant nothing, and leaves the session that was there", .covers("R48"))
    func nothingGranted() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox, ["BSKYAUTH_BROWSER": Home.curl])
        try await home.signIn("alice.test")
        try await sandbox.setFaults("[\(Fault.code(Fault.set(#""/scope":"atproto""#)))]")
        for (scope, reason, next) in [
            (
                "repo:app.bsky.feed.post", "not ticked at the sign-in page, or unknown to the server",
                "leave the permissions ticked at the sign-in page:  bskyauth login alice.test --scope repo:app.bsky.feed.post"
            ),
            (
                "include:app.bsky.authViewAll",
                "every permission of this set needs an aud that names a service",
                "bskyauth login alice.test --scope "
                    + "'include:app.bsky.authViewAll?aud=did:web:api.bsky.app%23bsky_appview'"
            ),
            (
                "include:com.example.auth", "its permissions are not known here", "bskyauth help login"
            ),
        ] {
            for reader in Reader.allCases {
                try await sandbox.resetJournal()
                let refused = try await home.expect(
                    Refusal(8, "nothing_granted", says: "\(scope) (\(reason)"),
                    of: ["login", "alice.test", "--no-check", "--scope", scope], for: reader)
                #expect(refused.errors.contains(next), "\(refused.errors)")
                let journal = try await Journal(sandbox)
                let codes = journal.grants("authorization_code")
                #expect(codes.count == 1)
                let revocations = journal.revocations(provenBy: codes.first?.key)
                #expect(revocations.count == (ServerProfile.current.revokes ? 1 : 0))
            }
        }
        #expect(try await home.listing().count == 1)
        let call = try await home.attempt(["call", "com.atproto.server.getSession"])
        #expect(call.status == 0, "the session that was there: \(call.errors)")
    }

    @Test("refuses the account of somebody else who signed in at the page", .covers("R45"))
    func anotherUser() async throws {
        let sandbox = try Sandbox()
        let home = try Home(sandbox)
        for reader in Reader.allCases {
            try await sandbox.resetJournal()
            let refused = try await home.expect(
                Refusal(13, "wrong_subject", says: "@bob.test (did:plc:"),
                of: ["login", "alice.test"], for: reader, browser: "as bob.test")
            for part in [
                "for @alice.test (did:plc:",
                "run the command again and sign in there as @alice.test, "
                    + "or log in to the other account:  bskyauth login bob.test",
            ] { #expect(refused.errors.contains(part), "\(refused.errors)") }
            let journal = try await Journal(sandbox)
            let codes = journal.grants("authorization_code")
            #expect(codes.count == 1)
            let revocations = journal.revocations(provenBy: codes.first?.key)
            #expect(revocations.count == (ServerProfile.current.revokes ? 1 : 0))
        }
        #expect(try await home.listing().isEmpty)
    }

    @Test(
        "refuses an issuer that the account's PDS has stopped naming while the person signed in",
        .covers("R46"))
    func issuerChangedMeanwhile() async throws {
        let (other, sandbox) = (try Sandbox(), try Sandbox(["--auto-approve"]))
        let home = try Home(sandbox, ["BSKYAUTH_BROWSER": Home.curl])
        // The first discovery goes by, the one after the token answer does not.
        let fault =
            #"{"match":{"path":"/.well-known/oauth-protected-resource"},"skip":1,"action":"#
            + Fault.set(#""/authorization_servers":["\#(other.address)"]"#) + "}"
        let claim = Fault.set(#""/protected_resources":["\#(sandbox.address)"]"#)
        try await other.setFaults("[\(Fault.at(Fault.server, claim))]")
        for reader in Reader.allCases {
            try await sandbox.setFaults("[\(fault)]")
            try await sandbox.resetJournal()
            try await home.expect(
                Refusal(13, "issuer_mismatch", says: "names \(other.address) as its authorization server"),
                of: ["login", "alice.test"], for: reader)
            let journal = try await Journal(sandbox)
            let codes = journal.grants("authorization_code")
            #expect(codes.count == 1)
            let revocations = journal.revocations(provenBy: codes.first?.key)
            #expect(revocations.count == (ServerProfile.current.revokes ? 1 : 0))
        }
        #expect(try await home.listing().isEmpty)
    }
}
