import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoVault
import BskyAuthCovers
import BskyAuthTestSupport
import Foundation
import OAuthDPoP
import Testing

@testable import ATProtoSessions
@testable import BskyAuthCore

@Suite("SessionCache") struct SessionCacheTests {
    private let world: World
    private let store = MemoryCaches()
    private let id = UUID()
    private let pds = Origin(scheme: .https, host: "pds.example.com")
    private var name: String { "sessions/\(id.uuidString.lowercased()).json" }
    private var verification: IssuerVerification {
        IssuerVerification(
            did: World.did, pds: World.pds, issuer: World.pds, metadata: ["issuer": .string(World.pds)],
            verifiedAt: World.start)
    }

    init() throws { world = try World() }

    private var vault: CredentialVault { world.accounts.vault }
    private var fresh: SessionCache { SessionCache(account: id, store: store) }

    @Test("what is learned is known to the next process, by origin and role", .covers("R56", "13.2", "B10"))
    func persistence() {
        fresh.remember("as-nonce", for: pds, role: .authorizationServer)
        fresh.remember("rs-nonce", for: pds, role: .resourceServer)
        fresh.remember(offset: -90, for: pds)
        fresh.remember(verification, sealedBy: vault)
        let found = fresh
        #expect(found.nonce(for: pds, role: .authorizationServer) == "as-nonce")
        #expect(found.nonce(for: pds, role: .resourceServer) == "rs-nonce")
        #expect(
            found.nonce(for: Origin(scheme: .https, host: "other.example.com"), role: .resourceServer) == nil)
        #expect(found.offset(for: pds) == -90)
        #expect(found.verification(at: World.start, sealedBy: vault) == verification)
        found.remember(offset: 0, for: pds)
        #expect(fresh.offset(for: pds) == 0)
    }

    @Test(
        "an offset is forgotten when this machine's clock was set or the machine restarted", .covers("R52"),
        arguments: [(1000, 1000, 90), (4600, 1000, 0), (-2600, 1000, 0), (1000, -500, 0), (1004, 1000, 90)])
    func clockSet(wall: Int, boot: Int, offset: Int) {
        func cache(_ wall: Int, _ boot: Int) -> SessionCache {
            let moment = Moment(wall: Int64(1_795_000_000 + wall), boot: Int64(5000 + boot))
            return SessionCache(account: id, store: store, moment: { moment })
        }
        cache(0, 0).remember(offset: 90, for: pds)
        let other = Origin(scheme: .https, host: "other.example.com")
        let later = cache(wall, boot)
        #expect(later.offset(for: pds) == Int64(offset))
        later.remember(offset: 7, for: other)
        #expect(later.offset(for: pds) == Int64(offset) && later.offset(for: other) == 7)
    }

    @Test("a nonce is recent for as long as asked") func recentNonce() {
        func cache(_ wall: Int64) -> SessionCache {
            SessionCache(account: id, store: store, moment: { Moment(wall: wall, boot: 0) })
        }
        cache(1000).remember("n", for: pds, role: .resourceServer)
        #expect(cache(1060).hasNonce(for: pds, role: .resourceServer, within: 60))
        for (time, role): (Int64, ServerRole) in [
            (1061, .resourceServer), (999, .resourceServer), (1000, .authorizationServer),
        ] {
            #expect(!cache(time).hasNonce(for: pds, role: role, within: 60))
        }
    }

    @Test("the time at an account's server is this machine's and what its clock differs by")
    func serverTime() throws {
        let account = try World.account()
        let cache = SessionCache(account: account.id, store: store)
        #expect(account.serverTime(at: World.start, caches: store) == World.start)
        cache.remember(offset: -90, for: account.pds)
        cache.remember(offset: 30, for: Origin(scheme: .https, host: "other.example.com"))
        #expect(account.serverTime(at: World.start, caches: store) == World.start.addingTimeInterval(-90))
    }

    @Test("nothing new is not written") func unchanged() {
        let cache = fresh
        cache.remember("n", for: pds, role: .resourceServer)
        store.remove(name)
        cache.remember("n", for: pds, role: .resourceServer)
        #expect(store.names.isEmpty)
    }

    @Test("what another has learned meanwhile is kept") func merged() {
        let (first, second) = (fresh, fresh)
        second.remember(verification, sealedBy: vault)
        second.remember("theirs", for: pds, role: .authorizationServer)
        first.remember("ours", for: pds, role: .resourceServer)
        #expect(fresh.verification(at: World.start, sealedBy: vault) == verification)
        #expect(fresh.nonce(for: pds, role: .authorizationServer) == "theirs")
        #expect(fresh.nonce(for: pds, role: .resourceServer) == "ours")
    }

    @Test("what was learned outlives a file that is gone or damaged", arguments: [nil, "{"] as [String?])
    func lostFile(text: String?) {
        let cache = fresh
        cache.remember("n", for: pds, role: .resourceServer)
        if let text { store.write(name, Array(text.utf8)) } else { store.remove(name) }
        cache.remember(offset: 7, for: pds)
        #expect(fresh.nonce(for: pds, role: .resourceServer) == "n" && fresh.offset(for: pds) == 7)
    }

    @Test("what is learned while it is held serves at once and is written when it is released") func held() {
        let cache = fresh
        cache.hold()
        cache.remember("n", for: pds, role: .authorizationServer)
        cache.remember(offset: 7, for: pds)
        #expect(cache.nonce(for: pds, role: .authorizationServer) == "n" && cache.offset(for: pds) == 7)
        #expect(store.names.isEmpty)
        let other = fresh
        other.remember("theirs", for: pds, role: .resourceServer)
        cache.release()
        #expect(fresh.nonce(for: pds, role: .authorizationServer) == "n" && fresh.offset(for: pds) == 7)
        #expect(fresh.nonce(for: pds, role: .resourceServer) == "theirs")
        cache.remember("n2", for: pds, role: .authorizationServer)
        #expect(fresh.nonce(for: pds, role: .authorizationServer) == "n2")
    }

    @Test("holding on to nothing writes nothing") func heldNothing() {
        let cache = fresh
        cache.hold()
        cache.release()
        #expect(store.names.isEmpty)
    }

    @Test("a verification counts for ten minutes, and not from the future") func age() {
        fresh.remember(verification, sealedBy: vault)
        #expect(fresh.verification(at: World.start.addingTimeInterval(599), sealedBy: vault) != nil)
        #expect(fresh.verification(at: World.start.addingTimeInterval(600), sealedBy: vault) == nil)
        #expect(fresh.verification(at: World.start.addingTimeInterval(-1), sealedBy: vault) == nil)
    }

    @Test("a verification ends what was known of a move") func movedBack() throws {
        fresh.remember(MoveLookup(date: World.start, pds: "https://new.example.com", isSameIssuer: false))
        let account = Account(
            id: id, did: try DID(validating: World.did), handle: nil, label: nil, pds: pds, devNetwork: nil,
            addedAt: World.start)
        #expect(account.knownMove(caches: store)?.description == "https://new.example.com")
        fresh.remember(verification, sealedBy: vault)
        #expect(account.knownMove(caches: store) == nil)
    }

    @Test("a verification that was changed is none, and none that another vault has sealed") func forged()
        throws
    {
        fresh.remember(verification, sealedBy: vault)
        #expect(fresh.verification(at: World.start, sealedBy: try World().accounts.vault) == nil)
        let text = String(decoding: try #require(store.read(name)), as: UTF8.self)
        store.write(name, Array(text.replacing("pds.example.com", with: "pds.example.net").utf8))
        #expect(fresh.verification(at: World.start, sealedBy: vault) == nil)
        store.write(name, Array(text.utf8))
        #expect(fresh.verification(at: World.start, sealedBy: vault) == verification)
    }

    @Test(
        "a verification of no year between 1970 and 9999 is none",
        arguments: [Int64.min, -1, 253_402_300_800, Int64.max])
    func dates(seconds: Int64) throws {
        var json = try #require(verification.json.object)
        #expect(IssuerVerification(json: .object(json)) == verification)
        json["verified_at"] = JSONValue(seconds)
        #expect(IssuerVerification(json: .object(json)) == nil)
    }

    @Test("a login's cache is kept for the account that came of it, and nothing before") func login() {
        let cache = SessionCache(account: nil, store: store)
        cache.remember("n", for: pds, role: .authorizationServer)
        #expect(store.names.isEmpty)
        cache.keep(for: id)
        #expect(store.names == [name])
        #expect(fresh.nonce(for: pds, role: .authorizationServer) == "n")
        SessionCache.forget(id, in: store)
        #expect(store.names.isEmpty)
    }

    @Test(
        "a damaged file is an empty cache",
        arguments: [
            "", "{", "[]", "null", #"{"nonces":1,"offsets":[],"verification":"x"}"#,
            #"{"nonces":{"a":1},"offsets":{"https://pds.example.com":"much"},"verification":{"did":"x"}}"#,
        ])
    func damaged(text: String) {
        store.write(name, Array(text.utf8))
        #expect(fresh.nonce(for: pds, role: .resourceServer) == nil)
        #expect(fresh.offset(for: pds) == 0)
        #expect(fresh.verification(at: World.start, sealedBy: vault) == nil)
        fresh.remember("n", for: pds, role: .resourceServer)
        #expect(fresh.nonce(for: pds, role: .resourceServer) == "n")
    }
}
