import ATPCryptography
import ATPJSON
import ATPNetworking
import BskyAuthEtcdRows
import BskyAuthRows
import BskyAuthTestStores
import BskyAuthTestSupport
import Foundation
import Testing

@Suite("Users of etcd", .timeLimit(.minutes(3))) struct EtcdUserTests {
    /// A node with the users root, vault (reads and writes vault/) and reader (reads vault/), whose password is `secret`.
    private static func node(_ options: [String] = []) async throws -> Etcd {
        let etcd = try await Etcd.ready(options: options)
        try await etcd.control("user add root:secret")
        try await etcd.control("user grant-role root root")
        for (user, right) in [("vault", "readwrite"), ("reader", "read")] {
            try await etcd.control("role add \(user)")
            try await etcd.control("role grant-permission \(user) \(right) --prefix=true vault/")
            try await etcd.control("user add \(user):secret")
            try await etcd.control("user grant-role \(user) \(user)")
        }
        try await etcd.control("auth enable")
        return etcd
    }

    private func refusal(_ work: () async throws -> Void) async throws -> RowStoreError {
        try #require(await #expect(throws: RowStoreError.self) { try await work() })
    }

    @Test("have the rights that they were given, and wrong ones are refused")
    func rights() async throws {
        let etcd = try await Self.node()
        let rows = etcd.rows("vault", as: ("vault", "secret"))
        let first = try #require(try await rows.put("a", [1], if: .absent))

        let none = try await refusal { _ = try await etcd.rows("vault").get("a") }
        #expect(none.code == .credentialsNeeded)
        for (user, password) in [("vault", "wrong"), ("nobody", "secret")] {
            let wrong = try await refusal {
                try await etcd.rows("vault", as: (user, password)).put("a", [2], if: .always)
            }
            #expect(wrong.code == .credentialsRefused)
            #expect(wrong.outcome == .notDone)
            #expect(!wrong.description.contains(password))
        }
        let reader = etcd.rows("vault", as: ("reader", "secret"))
        #expect(try await reader.get("a")?.value == [1])
        let denied = try await refusal { try await reader.put("a", [2], if: .unchanged(first)) }
        #expect(denied.code == .permissionDenied)
        #expect(denied.outcome == .notDone)
        let elsewhere = try await refusal {
            try await etcd.rows("other", as: ("vault", "secret")).put("a", [2], if: .always)
        }
        #expect(elsewhere.code == .permissionDenied)
        #expect(try await rows.get("a")?.revision == first)
    }

    @Test("log in again when etcd has ended their session")
    func ended() async throws {
        let etcd = try await Self.node()
        let rows = etcd.rows("vault", as: ("vault", "secret"))
        try await rows.put("a", [1], if: .absent)
        // A user that is made anew has no session, as after the time that etcd keeps one.
        for step in ["user delete vault", "user add vault:secret", "user grant-role vault vault"] {
            try await etcd.control(step, as: "root:secret")
        }
        #expect(try await rows.put("a", [2], if: .always) != nil)
        #expect(try await rows.get("a")?.value == [2])
    }

    @Test("go on after a change of users and roles", arguments: [false, true])
    func outdated(usesJWT: Bool) async throws {
        let directory = try TemporaryDirectory()
        let key = directory.url.appending(path: "key")
        try Data(UUID().uuidString.utf8).write(to: key)
        let jwt = ["--auth-token", "jwt,priv-key=\(key.path),sign-method=HS256,ttl=10m"]
        let etcd = try await Self.node(usesJWT ? jwt : [])
        let rows = etcd.rows("vault", as: ("vault", "secret"))
        try await rows.put("a", [1], if: .absent)
        try await etcd.control("user add x:secret", as: "root:secret")
        #expect(try await rows.get("a")?.value == [1])
        try await etcd.control("role add x", as: "root:secret")
        let written = try #require(try await rows.put("a", [2], if: .always))
        try await etcd.control("user grant-role x x", as: "root:secret")
        #expect(try await rows.put("a", [3], if: .unchanged(written)) != nil)
        try await etcd.control("user delete x", as: "root:secret")
        #expect(try await rows.delete("a", if: .always))
    }

    private static let login = ScriptedTransport.Answer.json(["token": "t"])
    private static let node = "https://etcd.example"

    private static func rows(_ transport: ScriptedTransport) throws -> EtcdRows {
        EtcdRows(
            EtcdCluster(
                nodes: [try HTTPURL(validating: node).origin], prefix: "a",
                credentials: EtcdCluster.Credentials(user: "u", password: SecretBytes([1]))),
            transport: transport)
    }

    private static func error(_ code: Int, _ text: String) -> ScriptedTransport.Answer {
        .json(["code": JSONValue(code), "message": .string(text)], status: code == 2 ? 500 : 400)
    }

    @Test(
        "log in again for the two texts of an outdated token, once",
        arguments: [
            (2, "auth: revision in header is old"), (3, "etcdserver: revision of auth store is old"),
            (2, "etcdserver: revision of auth store is old"), (3, "auth: revision in header is old"),
        ])
    func outdatedTexts(code: Int, text: String) async throws {
        let answer = ScriptedTransport.Answer.json(["header": ["revision": "7"], "succeeded": true])
        let transport = ScriptedTransport(Self.login, Self.error(code, text), Self.login, answer)
        #expect(try await Self.rows(transport).put("k", [1], if: .always)?.number == 7)
        #expect(transport.requests.count == 4)
        let stuck = ScriptedTransport(
            Self.login, Self.error(code, text), Self.login, Self.error(code, text))
        let failed = try await refusal { try await Self.rows(stuck).put("k", [1], if: .always) }
        #expect(failed.outcome == .notDone && stuck.requests.count == 4)
    }

    @Test(
        "don't repeat a write after any other error of that number",
        arguments: ["", "auth: revision in header is old?", "revision", "etcdserver: unknown"])
    func otherTexts(text: String) async throws {
        let transport = ScriptedTransport(Self.login, Self.error(2, text), Self.login, Self.error(2, text))
        let failed = try await refusal { try await Self.rows(transport).put("k", [1], if: .always) }
        #expect(failed.outcome == .unknown && transport.requests.count == 2)
    }

    @Test("are not sent to an etcd that asks nobody who he is")
    func off() async throws {
        let etcd = try await Self.node()
        let rows = etcd.rows("vault", as: ("vault", "secret"))
        try await rows.put("a", [1], if: .absent)
        try await etcd.control("auth disable", as: "root:secret")
        let fresh = etcd.rows("vault", as: ("vault", "secret"))
        let error = try await refusal { try await fresh.put("a", [2], if: .always) }
        #expect(error.code == .authenticationOff)
        #expect(error.outcome == .notDone)
        #expect(try await etcd.rows("vault").get("a")?.value == [1])
    }
}
