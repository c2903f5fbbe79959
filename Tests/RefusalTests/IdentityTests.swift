import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite("Refuses accounts that can't be found or do not verify", .serialized, .fewAtOnce)
struct IdentityTests {
    static let faults =
        [
            RefusedLogin(
                "a handle that the DID document does not claim",
                Fault.of("plc", Fault.set(#""/alsoKnownAs":["at://mallory.test"]"#)),
                refusal: Refusal(13, "identity_mismatch", says: "claims mallory.test"), pushes: 0),
            RefusedLogin(
                "a DID document of another account",
                Fault.of("plc", Fault.set(#""/id":"did:plc:b3rnvy7fnt5t66zs3gkfsvn3""#)),
                refusal: Refusal(13, "identity_mismatch", says: "DID document is not valid"), pushes: 0),
            RefusedLogin(
                "a directory that fails", Fault.of("plc", Fault.respond(503, "{}")),
                refusal: Refusal(12, "identity_unavailable", says: "HTTP 503"), pushes: 0),
            RefusedLogin(
                "a directory that hangs up", Fault.of("plc", #"{"drop":"before"}"#),
                refusal: Refusal(12, "identity_unavailable", says: "was lost"), pushes: 0),
            RefusedLogin(
                "a directory that redirects",
                Fault.of("plc", Fault.respond(302, #""""#, headers: #""location":"http://127.0.0.1:9/""#)),
                refusal: Refusal(12, "identity_unavailable", says: "redirect"), pushes: 0),
        ]
        + [401, 403, 451, 500].map { status in
            RefusedLogin(
                "a handle that can't be looked up, with HTTP \(status)", resolution(status, "HandleNotFound"),
                refusal: Refusal(12, "identity_unavailable", says: "HTTP \(status)"), pushes: 0)
        } + [
            RefusedLogin(
                "a handle that can't be looked up, with an error of another name",
                resolution(400, "UpgradeRequired"),
                refusal: Refusal(12, "identity_unavailable", says: "HTTP 400"), pushes: 0)
        ]

    /// The dev network's answer about every handle.
    private static func resolution(_ status: Int, _ name: String) -> String {
        Fault.at(
            "/xrpc/com.atproto.identity.resolveHandle",
            Fault.respond(status, #"{"error":"\#(name)","message":"no"}"#))
    }

    @Test("asks no server to log in", .covers("R8"), arguments: faults)
    func fault(login: RefusedLogin) async throws {
        try await login.expectRefusal()
    }

    @Test("and resolve prints nothing about it", .covers("R8"), arguments: faults)
    func resolve(login: RefusedLogin) async throws {
        let sandbox = try Sandbox()
        let home = try Home(sandbox, key: [:])
        try await sandbox.setFaults("[\(login.faults.joined(separator: ","))]")
        for reader in Reader.allCases {
            let result = try await home.expect(login.refusal, of: ["resolve", "alice.test"], for: reader)
            #expect(result.errors.contains("bskyauth resolve alice.test --fresh -v"))
        }
    }

    @Test(
        "an answer that proves no absence is not remembered, and does not take a DID's handle",
        .covers("R85", "R9"))
    func unknown() async throws {
        let sandbox = try Sandbox()
        let home = try Home(sandbox, key: [:])
        let found = try await home.attempt(["resolve", "alice.test", "--json"])
        let did = try #require(found.json?["did"] as? String)
        for status in [401, 403, 451, 500] {
            try home.forgetIdentities()
            try await sandbox.setFaults("[\(Self.resolution(status, "HandleNotFound"))]")
            let refusal = Refusal(12, "identity_unavailable", says: "alice.test could not be looked up")
            for reader in Reader.allCases {
                try await home.expect(refusal, of: ["resolve", did], for: reader)
                try await home.expect(refusal, of: ["resolve", "alice.test"], for: reader)
            }
            try await sandbox.setFaults("[]")
            let again = try await home.attempt(["resolve", did, "--get", ".handle"])
            #expect(again.text == "alice.test\n", "\(status): \(again.errors)")
        }
        try home.forgetIdentities()
        try await sandbox.setFaults("[\(Self.resolution(400, "HandleNotFound"))]")
        let absent = Refusal(6, "identity_not_found", says: "alice.test does not exist")
        for reader in Reader.allCases {
            try await home.expect(absent, of: ["resolve", "alice.test"], for: reader)
        }
        let bare = try await home.attempt(["resolve", did, "--json"])
        #expect(bare.status == 0 && bare.json?["handle"] is NSNull, "\(bare.errors)")
    }

    @Test("a check of an account keeps the handle that it could not look up", .covers("R9"))
    func keptHandle() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await home.signIn("alice.test")
        let other = #"{"amend":{"set":{"/handle":"new.test"}}}"#
        try await sandbox.setFaults(
            "[\(Self.resolution(403, "HandleNotFound")),"
                + Fault.at("/xrpc/com.atproto.server.getSession", other) + "]")
        let check = try await home.attempt(["accounts", "--check", "--json"])
        #expect(check.status == 0, "\(check.errors)")
        #expect(try await home.listing().first?["handle"] as? String == "alice.test")
    }

    @Test(
        "a resolver service that refuses leads to asking directly", .covers("D2", "R85"),
        arguments: [401, 403, 404, 451, 500])
    func service(status: Int) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        let path = "/xrpc/com.bad-example.identity.resolveMiniDoc"
        try await sandbox.setFaults("[" + Fault.at(path, Fault.respond(status, #"{"error":"no"}"#)) + "]")
        let login = try await home.attempt(
            ["login", "alice.test", "--json", "--resolver", "slingshot=\(sandbox.address)"],
            environment: ["BSKYAUTH_BROWSER": Home.curl])
        #expect(login.status == 0, "\(login.errors)")
        #expect(try await !Journal(sandbox).requests(to: path).isEmpty)
        #expect(try await home.listing().first?["handle"] as? String == "alice.test")
    }

    @Test("says that a handle does not exist")
    func unknownHandle() async throws {
        let refusal =
            ServerProfile.current.knowsUnknownHandles
            ? Refusal(6, "identity_not_found", says: "nobody.test does not exist")
            : Refusal(12, "identity_unavailable", says: "HTTP 500")
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        for reader in Reader.allCases {
            try await home.expect(refusal, of: ["login", "nobody.test"], for: reader)
        }
        #expect(try await Journal(sandbox).requests(to: Fault.push).isEmpty)
    }

    @Test("sends nothing over plain http outside of the dev network")
    func plainHTTP() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        for reader in Reader.allCases {
            try await home.expect(
                Refusal(12, "plain_http", says: "is not https"), of: ["login", sandbox.address], for: reader,
                environment: ["BSKYAUTH_DEV_NETWORK": ""])
        }
        #expect(try await Journal(sandbox).entries.isEmpty)
    }

    @Test("says how a handle is written, and repeats no password")
    func notALogin() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        let password = "abcd-efgh-ijkl-mnop"
        for reader in Reader.allCases {
            try await home.expect(
                Refusal(64, "usage", says: "\"@alice\" is not a whole handle"), of: ["login", "@alice"],
                for: reader)
            for (text, says, next) in [
                ("https://bsky.app", "the website of Bluesky, not an account", "login HANDLE"),
                ("https://deer.example/profile/alice.test", "the address of a page", "login alice.test"),
                ("alice@example.com", "is an e-mail address", "login HANDLE"),
            ] {
                let result = try await home.expect(
                    Refusal(64, "usage", says: says), of: ["login", text], for: reader)
                #expect(result.errors.contains("bskyauth \(next)"), "\(result.errors)")
            }
            for arguments in [[password], ["alice.test", "--app-password", password]] {
                try await home.expect(
                    Refusal(64, "password_in_arguments", says: "an app password can't be an argument"),
                    of: ["login"] + arguments, for: reader, secrets: [password])
            }
        }
        #expect(try await Journal(sandbox).entries.isEmpty)
        let result = try await home.attempt(
            ["login", "https://bsky.app/profile/alice.test"],
            environment: ["BSKYAUTH_BROWSER": "curl -sSL -o /dev/null"])
        #expect(result.status == 0, "\(result.errors)")
    }

    @Test(
        "takes no dev network that is not on this machine",
        arguments: ["http://example.com", "ftp://127.0.0.1"])
    func foreignDevNetwork(url: String) async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        for reader in Reader.allCases {
            try await home.expect(
                Refusal(64, "usage", says: "not a URL of this machine"), of: ["login", "alice.test"],
                for: reader,
                environment: ["BSKYAUTH_DEV_NETWORK": url])
        }
        #expect(try await Journal(sandbox).entries.isEmpty)
    }
}
