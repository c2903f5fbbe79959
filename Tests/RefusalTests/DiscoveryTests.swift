import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

@Suite("Refuses metadata that does not verify", .serialized, .fewAtOnce)
struct DiscoveryTests {
    private static func metadata(
        _ name: String, _ path: String, _ action: String, _ status: Int32, _ code: String, says: String
    ) -> RefusedLogin {
        RefusedLogin(
            name, Fault.at(path, action), refusal: Refusal(status, code, says: says), pushes: 0)
    }

    static let others = [
        metadata(
            "server: another issuer", Fault.server, Fault.set(#""/issuer":"http://127.0.0.1:9""#), 13,
            "issuer_mismatch", says: "says that it belongs to http://127.0.0.1:9"),
        metadata(
            "server: protects others only", Fault.server,
            Fault.set(#""/protected_resources":["http://127.0.0.1:9"]"#), 13, "resource_mismatch",
            says: "does not list"),
        metadata(
            "resource: another resource", Fault.resource, Fault.set(#""/resource":"http://127.0.0.1:9""#), 13,
            "resource_mismatch", says: "describes http://127.0.0.1:9"),
        metadata(
            "resource: an issuer that is elsewhere", Fault.resource,
            Fault.set(#""/authorization_servers":["http://example.com"]"#), 13, "invalid_issuer",
            says: "http://example.com"),
        metadata(
            "resource: an issuer with a path", Fault.resource,
            Fault.set(#""/authorization_servers":["http://127.0.0.1:9/as"]"#), 13, "invalid_issuer",
            says: "not a valid issuer"),
        metadata(
            "resource: two issuers", Fault.resource,
            Fault.set(#""/authorization_servers":["http://127.0.0.1:9","http://127.0.0.1:8"]"#), 13,
            "unacceptable_metadata", says: "authorization_servers"),
    ]

    static let redirects = [Fault.resource, Fault.server].flatMap { path in
        [301, 302, 303, 307, 308].map { status in
            metadata(
                "\(path) redirects with \(status)", path,
                Fault.respond(status, #""""#, headers: #""location":"http://127.0.0.1:9/""#), 13,
                "metadata_redirect", says: "redirects")
        }
    }

    static let answers = [Fault.resource, Fault.server].flatMap { path in
        [
            metadata("\(path): 404", path, Fault.respond(404, "{}"), 12, "discovery", says: "HTTP 404"),
            metadata("\(path): 500", path, Fault.respond(500, "{}"), 11, "discovery", says: "HTTP 500"),
            metadata("\(path): 204", path, Fault.respond(204, #""""#), 12, "discovery", says: "HTTP 204"),
            metadata("\(path): a page", path, Fault.page(200), 12, "discovery", says: "not JSON"),
            metadata(
                "\(path): JSON by another name", path,
                #"{"amend":{"headers":{"content-type":"text/plain"}}}"#, 12, "discovery", says: "not JSON"),
            metadata(
                "\(path): broken JSON", path, #"{"raw_body":"{\"issuer\":"}"#, 12, "discovery",
                says: "not valid JSON"),
            metadata(
                "\(path): names given twice", path,
                #"{"raw_body":"{\"issuer\":\"a\",\"issuer\":\"b\",\"resource\":\"a\",\"resource\":\"b\"}"}"#,
                12, "discovery", says: "not valid JSON"),
            metadata("\(path): no object", path, #"{"raw_body":"[]"}"#, 12, "discovery", says: "JSON"),
            metadata("\(path): 100 MB", path, #"{"body_bytes":100000000}"#, 12, "too_large", says: "65536"),
            metadata(
                "\(path): cut off", path, #"{"truncate":20,"promise_all":true}"#, 12, "connection_lost",
                says: "was lost"),
        ]
    }

    static let incomplete =
        [
            "issuer", "authorization_endpoint", "token_endpoint", "pushed_authorization_request_endpoint",
            "response_types_supported", "grant_types_supported", "code_challenge_methods_supported",
            "token_endpoint_auth_methods_supported", "token_endpoint_auth_signing_alg_values_supported",
            "scopes_supported", "dpop_signing_alg_values_supported",
            "authorization_response_iss_parameter_supported", "require_pushed_authorization_requests",
            "client_id_metadata_document_supported",
        ].map {
            metadata(
                "server: no \($0)", Fault.server, Fault.remove("/\($0)"), 13, "unacceptable_metadata",
                says: "lacks \($0)"
            )
        }
        + ["resource", "authorization_servers"].map {
            metadata(
                "resource: no \($0)", Fault.resource, Fault.remove("/\($0)"), 13, "unacceptable_metadata",
                says: "lacks \($0)")
        }

    static let foreignEndpoints = [
        "authorization_endpoint", "token_endpoint", "pushed_authorization_request_endpoint",
        "revocation_endpoint",
    ].flatMap { name in
        ["http://example.com/x", "https://example.com/x", "file:///etc/passwd"].map { url in
            metadata(
                "\(name) is \(url)", Fault.server, Fault.set(#""/\#(name)":"\#(url)""#), 13,
                "unacceptable_metadata",
                says: name)
        }
    }

    @Test(
        "that are not there, although calls are answered: the proxy in front is named, and an app password works"
    )
    func notPassedOn() async throws {
        let sandbox = try Sandbox(
            accounts: ["alice.test"], ["--app-password", "alice.test:abcd-efgh-ijkl-mnop"])
        let home = try Home(sandbox)
        let fault = #"{"match":{"path_prefix":"/.well-known/oauth-"},"action":\#(Fault.page(404))}"#
        try await sandbox.setFaults("[\(fault)]")
        let refusal = Refusal(12, "discovery", says: "a proxy in front of it does not pass on /.well-known/")
        for reader in Reader.allCases {
            let result = try await home.expect(refusal, of: ["login", "alice.test"], for: reader)
            #expect(result.errors.contains("bskyauth login alice.test --app-password"), "\(result.errors)")
            let typed = try await home.expect(refusal, of: ["login", sandbox.address], for: reader)
            #expect(typed.errors.contains("bskyauth login HANDLE --app-password"), "\(typed.errors)")
        }
        let login = try await home.run(
            "login", "alice.test", "--app-password", input: Data("abcd-efgh-ijkl-mnop\n".utf8))
        #expect(login.status == 0, "\(login.errors)")
        let other = #"{"match":{"path_prefix":"/xrpc/com.atproto.server"},"action":\#(Fault.page(404))}"#
        try await sandbox.setFaults("[\(fault),\(other)]")
        try await home.expect(
            Refusal(12, "discovery", says: "instead of its metadata"),
            of: ["login", "alice.test", "--label", "x"],
            for: .script)
    }

    @Test("that name somebody else", .covers("R20"), arguments: others)
    func verification(login: RefusedLogin) async throws { try await login.expectRefusal() }

    @Test("behind a redirect", .covers("R18"), arguments: redirects)
    func redirect(login: RefusedLogin) async throws { try await login.expectRefusal() }

    @Test("that are no metadata", .covers("R18"), arguments: answers)
    func answer(login: RefusedLogin) async throws { try await login.expectRefusal() }

    @Test("without what atproto asks for", .covers("R21"), arguments: incomplete)
    func missing(login: RefusedLogin) async throws { try await login.expectRefusal() }

    @Test("with endpoints outside of the dev network", .covers("R23"), arguments: foreignEndpoints)
    func elsewhere(login: RefusedLogin) async throws { try await login.expectRefusal() }
}

@Suite("Does not wait for metadata without end", .fewAtOnce)
struct SlowMetadataTests {
    /// The whole document would take many minutes.
    @Test("gives up on a document that trickles")
    func drip() async throws {
        let sandbox = try Sandbox(["--auto-approve"])
        let home = try Home(sandbox)
        try await sandbox.setFaults("[\(Fault.at(Fault.server, #"{"drip":{"bytes":1,"every":"1s"}}"#))]")
        try await home.expect(
            Refusal(12, "timed_out", says: "did not answer in time"), of: ["login", "alice.test"],
            for: .script)
        #expect(try await Journal(sandbox).requests(to: Fault.push).isEmpty)
    }
}
