import ATPNetworking
import BskyAuthEtcdRows
import BskyAuthRows
import BskyAuthTestServer
import BskyAuthTestStores
import BskyAuthTestSupport
import Foundation
import Testing

@Suite("Rows in an etcd that fails", .timeLimit(.minutes(3))) struct EtcdFailureTests {
    @Test("a write without an answer says that nobody knows, and a condition settles it")
    func lateWrite() async throws {
        let etcd = try await Etcd.ready()
        let rows = etcd.rows("a", timeLimit: .milliseconds(300))
        try await etcd.stop()
        let error = await #expect(throws: RowStoreError.self) {
            try await rows.put("claim", [1], if: .absent)
        }
        etcd.signal(SIGCONT)
        #expect(error?.outcome == .unknown)
        #expect(error?.code == .timedOut)
        let second = try await etcd.rows("a").put("claim", [2], if: .absent)
        #expect(try await etcd.rows("a").get("claim")?.value == (second == nil ? [1] : [2]))
    }

    @Test("a write that reached no node was not done")
    func unreachable() async throws {
        let etcd = try await Etcd.ready()
        let rows = etcd.rows()
        try await etcd.kill9(0)
        let error = await #expect(throws: RowStoreError.self) { try await rows.put("a", [1], if: .absent) }
        #expect(error?.outcome == .notDone)
        #expect(error?.code == .unreachable)
    }

    @Test("one lost node of three changes nothing, and two end reads and writes in bounded time")
    func minority() async throws {
        let etcd = try await Etcd.ready(nodes: 3)
        let rows = etcd.rows("a", timeLimit: .seconds(2))
        let first = try #require(try await rows.put("a", [1], if: .absent))
        try await etcd.kill9(0)
        // The first write after the loss of a leader may time out. A read tells whether it was done.
        var written: Revision?
        while written == nil {
            do { written = try await rows.put("a", [2], if: .unchanged(first)) } catch {
                let row = try await rows.get("a")
                if row?.value == [2] { written = row?.revision }
            }
        }
        try await etcd.kill9(1)
        let read = await #expect(throws: RowStoreError.self) { try await rows.get("a") }
        #expect(read?.outcome == .notDone)
        let write = await #expect(throws: RowStoreError.self) { try await rows.put("a", [3], if: .always) }
        #expect(write?.outcome == .unknown)
        let codes: [RowStoreError.Code] = [.timedOut, .noLeader]
        #expect(codes.contains { $0 == write?.code })
    }

    @Test("a full store refuses writes, keeps its rows and is read")
    func noSpace() async throws {
        let etcd = try await Etcd.ready(options: ["--quota-backend-bytes", "4000000"])
        let rows = etcd.rows()
        let small = try #require(try await rows.put("small", [1], if: .absent))
        let error = await #expect(throws: RowStoreError.self) {
            for number in 0..<20 {
                try await rows.put("\(number)", [UInt8](repeating: 7, count: 1 << 20), if: .absent)
            }
        }
        #expect(error?.code == .noSpace)
        #expect(error?.outcome == .notDone)
        await #expect(throws: RowStoreError.self) { try await rows.put("small", [2], if: .unchanged(small)) }
        #expect(try await rows.get("small")?.value == [1])
    }

    @Test("a node whose certificate is not trusted gets nothing")
    func untrusted() async throws {
        try await TestCertificates.run { certificates in
            let etcd = try await Etcd.ready(
                // Another etcd may be at 127.0.0.1.
                at: "127.251.0.1",
                tls: (certificates.server.path, certificates.key.path, certificates.authority.path))
            try await etcd.rows("a").put("a", [1], if: .absent)
            let other = etcd.rows("a", trusting: certificates.otherAuthority.path)
            let error = await #expect(throws: RowStoreError.self) {
                try await other.put("a", [2], if: .always)
            }
            #expect(error?.code == .untrusted)
            #expect(error?.outcome == .notDone)
            #expect(try await etcd.rows("a").get("a")?.value == [1])
        }
    }

    @Test("JSON that is not etcd's says neither that a condition failed nor that there are no rows")
    func proxy() async throws {
        let node = try HTTPURL(validating: "https://etcd.example").origin
        let rows = EtcdRows(
            EtcdCluster(nodes: [node], prefix: "a"), transport: ScriptedTransport(.text("{}"), .text("{}")))
        let write = await #expect(throws: RowStoreError.self) { try await rows.put("a", [1], if: .absent) }
        #expect(write?.outcome == .unknown)
        let read = await #expect(throws: RowStoreError.self) { try await rows.list("", after: nil, limit: 1) }
        #expect(read?.outcome == .notDone)
        #expect(read?.code == .unreadable)
    }
}
