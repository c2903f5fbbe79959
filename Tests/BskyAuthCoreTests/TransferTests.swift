import ATPCryptography
import ATPJSON
import ATPNetworking
import ATProtoSessions
import ATProtoVault
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCore

/// An account on its way from one machine to another.
@Suite("Moving an account") struct TransferTests {
    private let here: World
    private let there: World

    init() throws {
        here = try World()
        there = try World()
    }

    private var bundle: String { here.directory.path + "/bundle" }
    private var key: KeySource { .keyFile(path: here.directory.path + "/key") }

    private func export(_ id: UUID, keeps: Bool = false) async throws {
        _ = try await ExportFlow(here.environment.local).export(
            id, to: bundle, for: key, keepsAccount: keeps, sharesKey: false, lockTimeout: .zero)
    }

    private func opened() throws -> PortableAccount {
        try SealedBundle(reading: [UInt8](Data(contentsOf: URL(filePath: bundle)))).open(with: key)
    }

    /// A bundle's account with another session.
    private func portable(_ account: Account, _ session: SecretBytes) -> PortableAccount {
        PortableAccount(id: account.id, profile: account.record, session: session, generation: 1)
    }

    @Test("moves whole: gone here, and there the same UUID, key and tokens, asked for and active")
    func move() async throws {
        let session = try World.session()
        let id = try await here.add(session, try World.account(label: "bot"))
        here.caches.write("sessions/\(id.uuidString.lowercased()).json", [1])
        try await export(id)
        #expect(try await here.accounts.entries().isEmpty)
        #expect(try here.accounts.active().isExplicitlyNone)
        #expect(here.caches.names.isEmpty)
        #expect(here.section.entered == 1 && here.section.depth == 0)

        let added = try await ImportFlow(into: there.accounts, NetworkPolicy()).add(opened())
        #expect(added.account.id == id && added.account.label == "bot" && added.isActive)
        #expect(added.session.credential.oauth?.key.thumbprint == session.credential.oauth?.key.thumbprint)
        #expect(try there.accounts.find("bot").id == id)
        #expect(try there.accounts.session(id).record == session.record)
        #expect(here.network.requests.isEmpty && there.network.requests.isEmpty)
    }

    @Test("an imported account keeps its generation, and counts on from there")
    func generations() async throws {
        let id = try await here.add(try World.session())
        try await here.refresh(id, forced: true)
        try await export(id)
        let moved = try opened()
        #expect(moved.generation == 2)
        _ = try await ImportFlow(into: there.accounts, NetworkPolicy()).add(moved)
        let vault = there.accounts.vault
        #expect(try RecordKind.allCases.map { try vault.read($0, of: id).generation } == [2, 2])
        try await there.refresh(id, forced: true)
        #expect(try vault.read(.session, of: id).generation == 3)
    }

    @Test("a copy leaves the account where it is")
    func copy() async throws {
        let id = try await here.add(try World.session())
        try await export(id, keeps: true)
        #expect(try here.accounts.session(id).record == opened().session)
        #expect(try here.accounts.active().current == id)
    }

    @Test("comes back to where it left")
    func back() async throws {
        let id = try await here.add(try World.session())
        try await export(id)
        #expect(try await ImportFlow(into: here.accounts, NetworkPolicy()).add(opened()).account.id == id)
    }

    @Test("what can't be written stays here, and what is there already is not written over")
    func notWritten() async throws {
        let id = try await here.add(try World.session())
        try Data("mine".utf8).write(to: URL(filePath: bundle))
        await #expect { try await export(id) } throws: { error in
            if case BundleError.exists(bundle) = error { true } else { false }
        }
        #expect(try String(contentsOfFile: bundle, encoding: .utf8) == "mine")
        await #expect(throws: BundleError.self) {
            _ = try await ExportFlow(here.environment.local).export(
                id, to: here.directory.path + "/nowhere/bundle", for: key, keepsAccount: false,
                sharesKey: false,
                lockTimeout: .zero)
        }
        #expect(try here.accounts.session(id).name == "first")
    }

    @Test("is not taken out while another process works on it, nor with a refresh unanswered")
    func unsettled() async throws {
        let id = try await here.add(try World.session(life: 10))
        let lock = try await here.accounts.lock(id, timeout: .zero)
        await #expect { try await export(id) } throws: { error in
            if case VaultError.busy = error { true } else { false }
        }
        _ = consume lock
        here.network.answer(World.token, .failure(.connectionLost, wasSent: true))
        await #expect(throws: SessionFailure.self) { try await here.refresh(id) }
        await #expect { try await export(id) } throws: { error in
            if case CoreError.rotationUnsettled = error { true } else { false }
        }
        #expect(!FileManager.default.fileExists(atPath: bundle))
        #expect(try here.accounts.session(id).name == "first")
    }

    @Test("a slot that is taken, by UUID or by DID and label, is not replaced")
    func labelInUse() async throws {
        let id = try await here.add(try World.session())
        try await export(id, keeps: true)
        let before = try here.accounts.session(id).record
        await #expect { try await ImportFlow(into: here.accounts, NetworkPolicy()).add(opened()) } throws: {
            $0.isAlreadyHere
        }
        // The same UUID under another label.
        _ = try await here.accounts.rename(
            try here.accounts.account(id), to: "other", lockTimeout: .zero)
        await #expect { try await ImportFlow(into: here.accounts, NetworkPolicy()).add(opened()) } throws: {
            $0.isAlreadyHere
        }
        #expect(try here.accounts.session(id).record == before)
        // Another login of the same account.
        let other = try await there.add(try World.session("second"))
        await #expect { try await ImportFlow(into: there.accounts, NetworkPolicy()).add(opened()) } throws: {
            $0.isLabelInUse
        }
        #expect(try there.accounts.vault.accounts() == [other])
    }

    @Test("a token that is bound to another key is not taken in; one that does not say is", .covers("B18"))
    func bound() async throws {
        let account = try World.account()
        let session = try World.session()
        let own = try #require(session.credential.oauth?.key.thumbprint)
        let cases: [(String, Bool)] = [
            (#"{"cnf":{"jkt":"\#(own)"}}"#, true),
            (#"{"cnf":{"jkt":"\#(try DPoPKey().thumbprint)"}}"#, false),
            (#"{"cnf":{"jkt":""}}"#, false), (#"{"cnf":"\#(own)"}"#, true), ("{}", true), ("no JSON", true),
        ]
        for (claims, isTaken) in cases {
            let token = "e30.\(Base64URL.encode(Array(claims.utf8))).c2ln"
            let record = session.with(token: token).record
            let world = try World()
            if isTaken {
                _ = try await ImportFlow(into: world.accounts, NetworkPolicy()).add(portable(account, record))
                #expect(try world.accounts.session(account.id).accessToken.reveal() == token)
            } else {
                await #expect {
                    try await ImportFlow(into: world.accounts, NetworkPolicy()).add(portable(account, record))
                } throws: {
                    error in
                    if case CoreError.foreignKey(let login) = error {
                        login.account == account
                    } else {
                        false
                    }
                }
                #expect(try world.accounts.vault.accounts().isEmpty)
            }
        }
    }

    @Test(
        "a key whose halves are of two keys, a newer record and a dev account are refused, and nothing is saved"
    )
    func refused() async throws {
        let account = try World.account()
        let text = String(decoding: try World.session().record.bytes, as: UTF8.self)
        let mixed = try mixedKey(in: text)
        let newer = text.replacing(#""version":1"#, with: #""version":2"#)
        for (record, member) in [(mixed, "dpop_key"), (newer, "version"), ("{}", "version")] {
            let changed = portable(account, SecretBytes(Array(record.utf8)))
            await #expect {
                try await ImportFlow(into: there.accounts, NetworkPolicy()).add(changed)
            } throws: { error in
                if case CoreError.unreadableBundle(let found) = error {
                    found.member == member
                } else {
                    false
                }
            }
        }
        let dev = try World.account(devNetwork: "http://127.0.0.1:2583")
        await #expect {
            try await ImportFlow(into: there.accounts, NetworkPolicy()).add(
                portable(dev, try World.session().record))
        } throws: {
            if case CoreError.wrongNetwork = $0 { true } else { false }
        }
        let misplaced = PortableAccount(
            id: UUID(), profile: account.record, session: try World.session().record, generation: 1)
        await #expect { try await ImportFlow(into: there.accounts, NetworkPolicy()).add(misplaced) } throws: {
            error in
            if case CoreError.unreadableBundle(let found) = error { found.member == "id" } else { false }
        }
        #expect(try there.accounts.vault.accounts().isEmpty)
    }

    @Test(
        "a label that no login takes is refused",
        arguments: ["", "\u{1b}[2J\n", String(repeating: "l", count: 65), "--all", World.did])
    func strangeLabel(label: String) async throws {
        let account = portable(try World.account(label: label), try World.session().record)
        await #expect { try await ImportFlow(into: there.accounts, NetworkPolicy()).add(account) } throws: {
            $0.unreadableMember == "label"
        }
        #expect(try there.accounts.vault.accounts().isEmpty)
    }

    @Test("a label that another account answers to stays, and leads to neither of them") func labelTaken()
        async throws
    {
        let id = try await there.add(try World.session())
        let other = try World.account(
            did: "did:plc:ewvi7nxzyoun6zhxrhs64oiz", label: "alice.example.com")
        let account = portable(other, try World.session().record)
        _ = try await ImportFlow(into: there.accounts, NetworkPolicy()).add(account)
        #expect { try there.accounts.find("alice.example.com") } throws: { error in
            if case CoreError.ambiguousAccount(_, let found) = error {
                Set(found.map(\.id)) == [id, other.id]
            } else {
                false
            }
        }
    }

    @Test("a token that fits no header is refused", arguments: ["", "a\r\nb", "a b", "é"])
    func strangeToken(token: String) async throws {
        let session = try World.session().with(token: token).record
        await #expect {
            try await ImportFlow(into: there.accounts, NetworkPolicy()).add(
                portable(World.account(), session))
        } throws: {
            $0.unreadableMember == "access_token"
        }
        #expect(try there.accounts.vault.accounts().isEmpty)
    }

    /// The record with the public half of another key.
    private func mixedKey(in text: String) throws -> String {
        var record = try #require(try JSONParser.parse(text).object)
        let own = try #require(record["dpop_key"]?.string)
        var key = try #require(try JSONParser.parse(own).object)
        let other = try JSONParser.parse(try DPoPKey().privateKeyText())
        for name in ["x", "y"] { key[name] = other[name] }
        record["dpop_key"] = .string(JSONValue.object(key).text)
        return JSONValue.object(record).text
    }
}

extension Error {
    /// What a bundle was found unreadable for.
    fileprivate var unreadableMember: String? {
        if let error = self as? CoreError, case .unreadableBundle(let found) = error {
            found.member
        } else {
            nil
        }
    }

    fileprivate var isAlreadyHere: Bool {
        if let error = self as? CoreError, case .takeover(.alreadyHere) = error { true } else { false }
    }

    fileprivate var isLabelInUse: Bool {
        if let error = self as? VaultError, case .loginTaken = error { true } else { false }
    }
}

extension Session {
    fileprivate func with(token: String) -> Session {
        Session(
            credential: credential, createdAt: createdAt, accessToken: AccessToken(token),
            refreshToken: refreshToken, accessExpiresAt: accessExpiresAt, obtainedAt: obtainedAt, scope: scope
        )
    }
}
