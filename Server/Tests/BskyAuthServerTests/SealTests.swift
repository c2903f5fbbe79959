import ATProtoVault
import BskyAuthRows
import BskyAuthServerSupport
import Foundation
import Testing

@testable import BskyAuthServer

@Suite final class SealTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "seal-\(UUID())").path
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    init() throws {
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func file() throws -> KeyFile { try KeyFile(.sealing, in: folder) }

    private func ring() throws -> SealingRing {
        var file = try file()
        if file.keys.isEmpty {
            _ = try file.add(at: now)
            try file.save()
        }
        return try SealingRing(file)
    }

    private var session: SealedSession {
        SealedSession(session: UUID(), generation: 70_000, audience: "ios ü", expiry: now + 60.7)
    }

    @Test("a session comes back as it was sealed, until it expires")
    func opens() throws {
        let (ring, session) = (try ring(), session)
        let text = try session.text(sealedBy: ring)
        #expect(try SealedSession(text, openedBy: ring, at: now) == session)
        #expect(try SealedSession(text, openedBy: ring, at: now + 59.9) == session)
        #expect(throws: SealError.self) { try SealedSession(text, openedBy: ring, at: self.now + 60) }
        #expect(try session.text(sealedBy: ring) != text)
    }

    @Test("keys that another vault has sealed are told in words, and no key is made in their place")
    func foreignVault() async throws {
        let rows = MemoryRows()
        func shared(_ name: String) async throws -> SharedKeys {
            let vault = try await FileVault.create(
                at: "\(folder)/\(name)", key: .keyFile("\(folder)/\(name).key"))
            return SharedKeys(rows: rows, vault: vault)
        }
        var file = try file()
        try await file.update(in: try await shared("one")) { _ = try $0.add(at: now) }
        let row = try await rows.get("keys/sealing")
        var other = try KeyFile(.sealing, in: folder + "/elsewhere")
        let error = await #expect(throws: ServerStoreError.self) {
            try await other.update(in: try await shared("two")) { _ = try $0.add(at: now) }
        }
        #expect(
            error?.description.hasPrefix("the vault of this replica can't open the row keys/sealing") == true)
        #expect(try await rows.get("keys/sealing")?.value == row?.value)
        #expect(other.keys.isEmpty)
    }

    @Test("one changed bit is refused, at every place of the token")
    func tamper() throws {
        let ring = try ring()
        let text = try session.text(sealedBy: ring)
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        var characters = Array(text)
        for index in characters.indices {
            let value = try #require(alphabet.firstIndex(of: characters[index]))
            for bit in 0..<6 {
                let original = characters[index]
                characters[index] = alphabet[value ^ (1 << bit)]
                let changed = String(characters)
                #expect(throws: SealError.self) { try SealedSession(changed, openedBy: ring, at: self.now) }
                characters[index] = original
            }
        }
        for other in [
            "", "AA", String(text.dropLast()), text + "A", text + "=", " " + text,
            String(repeating: "A", count: 9999),
        ] {
            #expect(throws: SealError.self) { try SealedSession(other, openedBy: ring, at: self.now) }
        }
    }

    @Test("what was sealed for a row is no session, and has its place")
    func purposes() throws {
        let ring = try ring()
        let sealed = try ring.seal([1, 2, 3], for: .row, context: "login/a")
        #expect(try ring.open(sealed, for: .row, context: "login/a") == [1, 2, 3])
        #expect(throws: SealError.self) { try ring.open(sealed, for: .row, context: "login/b") }
        #expect(throws: SealError.self) { try ring.open(sealed, for: .session, context: "login/a") }
    }

    @Test("opens what another library has sealed under the same key, as earlier versions used another one")
    func otherLibrary() throws {
        // Made by the Python package cryptography: HKDF and AESGCM.
        let key = StoredKey(
            kid: "Yw3NKWbEM2Y", added: now, secret: "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8")
        var file = try file()
        file.take([key])
        let ring = try SealingRing(file)
        let session = try #require(
            Base64URL.decode("AWMNzSlmxDNmAAECAwQFBgcICQoLgJc__ZuO_NbqEIG-9jxwMytDENnBkHkIsA"))
        let row = try #require(
            Base64URL.decode("AWMNzSlmxDNmAAECAwQFBgcICQoLW6qTa072j9LhIRcovfnfcnAdGHuA"))
        #expect(try ring.open(session, for: .session) == Array("a session".utf8))
        #expect(try ring.open(row, for: .row, context: "login/x") == Array("a row".utf8))
        #expect(throws: SealError.self) { try ring.open(row, for: .row, context: "login/y") }
        #expect(throws: SealError.self) { try ring.open(row, for: .session, context: "login/x") }
        for index in row.indices {
            var changed = row
            changed[index] ^= 1
            #expect(throws: SealError.self) { try ring.open(changed, for: .row, context: "login/x") }
            #expect(throws: SealError.self) {
                try ring.open(Array(row.prefix(index)), for: .row, context: "login/x")
            }
        }
    }

    @Test("the newest key seals, every listed key opens, a retired one does not")
    func rotation() throws {
        let (old, session) = (try ring(), session)
        let text = try session.text(sealedBy: old)
        var file = try file()
        let first = try #require(file.keys.first)
        let added = try file.add(at: now + 10)
        try file.save()
        #expect(file.keys.map(\.kid) == [first.kid, added.kid])
        let both = try SealingRing(try self.file())
        #expect(try SealedSession(text, openedBy: both, at: now) == session)
        let newer = try session.text(sealedBy: both)
        #expect(throws: SealError.self) { try SealedSession(newer, openedBy: old, at: self.now) }

        #expect(throws: KeyFileError.self) {
            try file.retire(first.kid, ifReplacedFor: .seconds(60), at: self.now + 69)
        }
        #expect(try self.file().keys.count == 2)
        try file.retire(first.kid, ifReplacedFor: .seconds(60), at: now + 70)
        try file.save()
        let one = try SealingRing(try self.file())
        #expect(throws: SealError.self) { try SealedSession(text, openedBy: one, at: self.now) }
        #expect(try SealedSession(newer, openedBy: one, at: now) == session)
    }

    @Test("a file takes the keys of all replicas, and keeps only newer ones of its own") func take() throws {
        var (file, other) = (try file(), try file())
        let (first, second) = (try file.add(at: now), try file.add(at: now + 1))
        let third = try file.add(at: now + 2)
        _ = try other.add(at: now + 3)
        other.take([first, second])
        #expect(other.keys.map(\.kid) == [first.kid, second.kid])
        // The store has lost the third key.
        file.take([first, second])
        #expect(file.keys.map(\.kid) == [first.kid, second.kid, third.kid])
        // Another replica has retired the first key.
        file.take([second, third])
        #expect(file.keys.map(\.kid) == [second.kid, third.kid])
        file.take([])
        #expect(file.keys.count == 2)
    }

    @Test("the newest key can't be retired, and no key that is not there")
    func retires() throws {
        _ = try ring()
        var file = try file()
        let kid = try #require(file.keys.first?.kid)
        #expect(throws: KeyFileError.self) { try file.retire(kid, ifReplacedFor: nil, at: self.now) }
        _ = try file.add(at: now)
        #expect(throws: KeyFileError.self) { try file.retire("other", ifReplacedFor: nil, at: self.now) }
        try file.retire(kid, ifReplacedFor: nil, at: now)
        #expect(try self.file().keys.count == 1)
    }

    @Test("the file of the keys is its owner's alone, and damage is refused")
    func files() throws {
        _ = try ring()
        let path = folder + "/sealing-keys.json"
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(throws: (any Error).self) { try self.file() }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        for damaged in [
            "", "{}", text.replacing("\"version\" : 1", with: "\"version\" : 2"), String(text.dropLast(9)),
        ] {
            try Data(damaged.utf8).write(to: URL(filePath: path))
            #expect(throws: KeyFileError.self) { try self.file() }
        }
        let other = Base64URL.encode([UInt8](repeating: 1, count: 32))
        let swapped = text.replacing(/"secret" : "[^"]*"/, with: "\"secret\" : \"\(other)\"")
        try Data(swapped.utf8).write(to: URL(filePath: path))
        #expect(throws: KeyFileError.self) { try SealingRing(try self.file()) }
    }

    @Test("base64url has one text for some bytes")
    func base64() {
        #expect(Base64URL.encode([0xfb, 0xff]) == "-_8")
        #expect(Base64URL.decode("-_8") == [0xfb, 0xff])
        for text in ["-_9", "-_8=", "+/8", "-_8 ", "A", "ü"] { #expect(Base64URL.decode(text) == nil) }
    }
}
