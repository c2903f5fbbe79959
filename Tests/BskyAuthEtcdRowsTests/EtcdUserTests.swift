import BskyAuthEtcdRows
import BskyAuthRows
import BskyAuthTestStores
import Foundation
import Testing

@Suite("Users of etcd", .timeLimit(.minutes(3))) struct EtcdUserTests {
    /// A node with the users root, vault (reads and writes vault/) and reader (reads vault/), whose password is `secret`.
    private static func node() async throws -> Etcd {
        let etcd = try await Etcd.ready()
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
