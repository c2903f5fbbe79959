import Foundation
import Testing

@testable import SandboxNetwork

@Suite("Faults of a repository")
struct RepositoryFaultTests {
    /// A repository in memory, with the keys of its account.
    private struct Stage {
        let accounts: AccountRegistry
        let store: RepositoryStore
        let clock = SandboxClock()
        let account: Account
        let keys: [String]

        init(records: Int) async throws {
            accounts = AccountRegistry(clock: clock)
            store = RepositoryStore(clock: clock, accounts: accounts)
            account = try accounts.create(handle: "carol.test", password: "")
            keys = (0..<records).map { "key\($0)" }
            for key in keys { try await put(key, "first") }
        }

        func put(_ key: String, _ text: String) async throws {
            let json: JSONValue = ["text": .string(text)]
            let content = RecordWrite.Content(
                collection: "a.b.c", key: key, value: json, block: Block(try CBORValue(json).encoded))
            _ = try await store.commit([.put(content, swapping: nil)], of: account)
        }

        var key: P256.PublicKey { accounts.current(account).signingKey.publicKey }

        /// The verdict of a strict client about the proof of a record, or about the whole repository.
        func flaw(of key: String?, signedBy signer: P256.PublicKey? = nil) async throws
            -> RepositoryReader.Flaw?
        {
            do {
                var reader = try RepositoryReader(
                    await store.car(of: account, path: key.map { "a.b.c/\($0)" }))
                _ = try reader.commit(of: account.did, signedBy: signer ?? self.key)
                if let key { _ = try reader.record("a.b.c/\(key)") } else { _ = try reader.records() }
                return nil
            } catch let flaw as RepositoryReader.Flaw { return flaw }
        }

        func reader(of key: String) async throws -> RepositoryReader {
            try RepositoryReader(await store.car(of: account, path: "a.b.c/\(key)"))
        }
    }

    @Test(
        "are found by a strict client in every proof and in the whole repository",
        arguments: [
            (RepositoryFault.wrongKey, RepositoryReader.Flaw.signature), (.wrongDID, .otherDID),
            (.highS, .highS), (.der, .signatureForm), (.nonCanonical, .nonCanonical),
            (.missingBlock, .missingBlock), (.wrongDepth, .layer), (.unsortedKeys, .order),
        ], [1, 2, 3, 40])
    func flaws(_ pair: (fault: RepositoryFault, flaw: RepositoryReader.Flaw), records: Int) async throws {
        let stage = try await Stage(records: records)
        let present: [String?] = stage.keys.map { $0 } + ["absent", "zzz", nil]
        for key in present { #expect(try await stage.flaw(of: key) == nil) }
        await stage.store.set(pair.fault, of: stage.account)
        for key in present {
            do throws(XRPCFailure) {
                _ = try await stage.store.car(of: stage.account, path: key.map { "a.b.c/\($0)" })
            } catch {
                // Only a node with two entries can have them in the wrong order.
                #expect(pair.fault == .unsortedKeys && error.status == 500)
                continue
            }
            #expect(try await stage.flaw(of: key) == pair.flaw, "\(key ?? "all")")
        }
        await stage.store.set(nil, of: stage.account)
        #expect(try await stage.flaw(of: nil) == nil)
    }

    @Test("entries in the wrong order are possible in a tree of many records")
    func unsortedKeys() async throws {
        let stage = try await Stage(records: 40)
        await stage.store.set(.unsortedKeys, of: stage.account)
        var possible = 0
        for key in stage.keys where (try? await stage.reader(of: key)) != nil { possible += 1 }
        #expect(possible > 20)
        #expect(try await stage.flaw(of: nil) == .order)
    }

    @Test("an extra block is there, and nothing refers to it")
    func extraBlock() async throws {
        let stage = try await Stage(records: 3)
        await stage.store.set(.extraBlock, of: stage.account)
        var reader = try await stage.reader(of: "key1")
        _ = try reader.commit(of: stage.account.did, signedBy: stage.key)
        #expect(try reader.record("a.b.c/key1")?["text"]?.text == "first")
        #expect(reader.unused.count == 1)
    }

    @Test("another record is proven than the repository has, also in place of none")
    func otherRecord() async throws {
        let stage = try await Stage(records: 3)
        await stage.store.set(.otherRecord, of: stage.account)
        for key in ["key1", "absent"] {
            #expect(try await stage.flaw(of: key) == nil)
            var reader = try await stage.reader(of: key)
            #expect(try reader.record("a.b.c/\(key)")?["fault"]?.text == "other_record")
        }
        let record = await stage.store.record(did: stage.account.did, collection: "a.b.c", key: "key1")
        #expect(record?.value == ["text": "first"])
    }

    @Test("a future revision is an hour ahead of the clock")
    func futureRevision() async throws {
        let stage = try await Stage(records: 2)
        stage.clock.stop()
        stage.clock.advance(by: .seconds(100))
        await stage.store.set(.futureRevision, of: stage.account)
        var reader = try await stage.reader(of: "key1")
        let commit = try reader.commit(of: stage.account.did, signedBy: stage.key)
        #expect(commit["rev"]?.text == TimestampIdentifier.text(at: stage.clock.now + 3600))
    }

    @Test("an older revision has the records of its moment, and is a day before it")
    func olderRevision() async throws {
        let stage = try await Stage(records: 2)
        stage.clock.stop()
        let revision = TimestampIdentifier.text(at: stage.clock.now - 86_400)
        await stage.store.set(.olderRevision, of: stage.account)
        stage.clock.advance(by: .seconds(100))
        try await stage.put("key1", "second")
        var reader = try await stage.reader(of: "key1")
        #expect(
            try reader.commit(of: stage.account.did, signedBy: stage.key)["rev"]?.text == revision)
        #expect(try reader.record("a.b.c/key1")?["text"]?.text == "first")
        await stage.store.set(nil, of: stage.account)
        var now = try await stage.reader(of: "key1")
        #expect(try now.record("a.b.c/key1")?["text"]?.text == "second")
    }

    @Test("the earlier key goes on signing after a rotation")
    func earlierKey() async throws {
        let stage = try await Stage(records: 2)
        let earlier = stage.key
        await stage.store.set(.earlierKey, of: stage.account)
        await #expect(throws: XRPCFailure.self) { try await stage.store.car(of: stage.account) }
        _ = stage.accounts.update(stage.account.did) { $0.rotateSigningKey(at: stage.clock.now) }
        await stage.store.resign(stage.account)
        #expect(try await stage.flaw(of: "key1") == .signature)
        #expect(try await stage.flaw(of: "key1", signedBy: earlier) == nil)
        await stage.store.set(nil, of: stage.account)
        #expect(try await stage.flaw(of: "key1") == nil)
        #expect(try await stage.flaw(of: "key1", signedBy: earlier) == .signature)
    }

    @Test("are set and removed by name, and leave the other answers alone")
    func endpoint() async throws {
        try await withRepository(3) { carol in
            let (record, commit) = (try await carol.record("key1"), try await carol.latestCommit())
            for fault in RepositoryFault.allCases {
                try await carol.set(fault)
                #expect(try await carol.record("key1") == record)
                #expect(try await carol.latestCommit() == commit)
            }
            let impossible = try await carol.client.sandbox.get(RepositoryClient.proofPath("key1"))
            #expect(impossible.status == 200)
            try await carol.set(nil)
            #expect(try await carol.proof(of: "key1").root.text == commit["cid"]?.string)
            for input: JSONValue in [
                ["handle": "carol.pds.test", "fault": "bad"], ["handle": "carol.pds.test"],
                ["handle": "nobody.test", "fault": .null], ["fault": .null],
                ["handle": "carol.pds.test", "fault": .null, "car": .null],
                ["handle": "carol.pds.test", "car": "AAAA"],
                ["handle": "carol.pds.test", "car": "?", "multikey": "zAAA"],
                ["handle": "carol.pds.test", "car": "AAAA", "multikey": "AAA"],
            ] {
                let answer = try await carol.client.sandbox.post("/_sandbox/repositories", json: input)
                #expect(answer.status == 400, "\(input.text)")
            }
        }
    }
}
