internal import ATPJSON
package import ATPNetworking
package import OAuthDPoP
internal import Synchronization

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A moment by two clocks of this machine, in seconds.
package struct Moment: Sendable, Equatable {
    /// Since 1970, as it is set.
    package let wall: Int64
    /// Since the machine started. Setting the clock does not change it.
    package let boot: Int64

    package init(wall: Int64, boot: Int64) {
        self.wall = wall
        self.boot = boot
    }

    package static func now() -> Moment {
        let boot = ContinuousClock().systemEpoch.duration(to: .now)
        return Moment(wall: Int64(Date().timeIntervalSince1970), boot: boot.components.seconds)
    }

    /// Whether the clock was set, or the machine restarted, between two moments.
    func isOnAnotherClock(than other: Moment) -> Bool {
        abs((wall - other.wall) - (boot - other.boot)) > 5
    }
}

/// A cache of the DPoP nonces and clock offsets of one account's servers, by origin and role.
///
/// The cache file is shared by processes and not written durably, because losing it costs only one request. Nonces are
/// hints. The server's challenge decides.
package final class SessionCache: NonceStore, ServerClock {
    private struct Content: Equatable {
        /// `role origin` to nonce.
        var nonces: [String: String] = [:]
        /// `role origin` to the time of its nonce, in seconds since 1970.
        var nonceTimes: [String: Int64] = [:]
        /// `origin` to seconds that the server is ahead of this machine.
        var offsets: [String: Int64] = [:]
        /// When the latest offset was learned.
        var offsetsLearned: Moment?
        /// The verification is decoded only when it is needed. Most calls don't need it.
        var verification: JSONValue?
        /// Why is in ``MoveFinder``.
        var moveLookup: MoveLookup?
    }

    private struct State {
        var content: Content
        /// The changes since ``hold()`` that are not written yet; nil if writes are not held back.
        var held: [@Sendable (inout Content) -> Void]?
    }

    private let name: String?
    private let store: any CacheStore
    private let moment: @Sendable () -> Moment
    private let state: Mutex<State>

    /// - Parameters:
    ///   - account: nil for a login. Its cache becomes the account's cache by ``keep(for:)``.
    ///   - moment: tells the time.
    package init(account: UUID?, store: any CacheStore, moment: @escaping @Sendable () -> Moment = Moment.now)
    {
        self.store = store
        self.moment = moment
        name = account.map(Self.name)
        state = Mutex(State(content: name.flatMap { Self.content($0, store) } ?? Content()))
    }

    /// From now on, changes are used at once but written only by ``release()``. So a caller can make other data durable
    /// first.
    package func hold() {
        state.withLock { $0.held = $0.held ?? [] }
    }

    /// Writes the changes that were held back.
    package func release() {
        state.withLock { state in
            guard let held = state.held else { return }
            state.held = nil
            guard !held.isEmpty else { return }
            write(state.content) { content in
                for change in held { change(&content) }
            }
        }
    }

    // MARK: NonceStore

    package func nonce(for origin: Origin, role: ServerRole) -> String? {
        state.withLock { $0.content.nonces[Self.key(origin, role)] }
    }

    package func remember(_ nonce: String, for origin: Origin, role: ServerRole) {
        let (key, time) = (Self.key(origin, role), moment().wall)
        update {
            // A nonce that stays is no reason to write the file.
            if $0.nonces[key] != nonce { $0.nonceTimes[key] = time }
            $0.nonces[key] = nonce
        }
    }

    /// Whether a nonce was learned within a number of seconds.
    package func hasNonce(for origin: Origin, role: ServerRole, within seconds: Int64) -> Bool {
        let learned = state.withLock { $0.content.nonceTimes[Self.key(origin, role)] }
        return learned.map { (0...seconds).contains(moment().wall - $0) } ?? false
    }

    /// The age in seconds up to which a nonce is still taken by every known server (protocol:R61).
    package static let nonceLife: Int64 = 60

    private static func key(_ origin: Origin, _ role: ServerRole) -> String {
        role.rawValue + " " + origin.description
    }

    // MARK: ServerClock

    /// The offset of a server's clock. It is not known any more if this machine's clock was set since.
    package func offset(for origin: Origin) -> Int64 {
        state.withLock { state in
            guard let offset = state.content.offsets[origin.description],
                let learned = state.content.offsetsLearned, !moment().isOnAnotherClock(than: learned)
            else { return 0 }
            return offset
        }
    }

    package func remember(offset: Int64, for origin: Origin) {
        let now = moment()
        update { content in
            if let learned = content.offsetsLearned, now.isOnAnotherClock(than: learned) {
                content.offsets = [:]
            }
            content.offsets[origin.description] = offset == 0 ? nil : offset
            content.offsetsLearned = content.offsets.isEmpty ? nil : now
        }
    }

    // MARK: Issuer

    /// The last verification of the account's issuer, if the seal made its code and it is recent enough.
    package func verification(at now: Date, sealedBy seal: any CacheSeal) -> IssuerVerification? {
        state.withLock { $0.content.verification }.flatMap { IssuerVerification(sealed: $0, by: seal) }
            .flatMap { IssuerVerification.serves($0.verifiedAt, at: now) ? $0 : nil }
    }

    package func remember(_ verification: IssuerVerification, sealedBy seal: any CacheSeal) {
        let sealed = verification.sealed(by: seal)
        update {
            $0.verification = sealed
            // The DID names the account's server now, whatever an earlier look-up found.
            $0.moveLookup = nil
        }
    }

    /// Lets the next refresh verify the issuer again.
    func forgetVerification() {
        update { $0.verification = nil }
    }

    // MARK: Moves

    /// The last look-up because of a move.
    var moveLookup: MoveLookup? { state.withLock { $0.content.moveLookup } }

    func remember(_ lookup: MoveLookup) {
        update { $0.moveLookup = lookup }
    }

    /// Makes the cache of a login the cache of the new account.
    package func keep(for account: UUID) {
        store.write(Self.name(account), Self.bytes(state.withLock { $0.content }))
    }

    package static func forget(_ account: UUID, in store: any CacheStore) {
        store.remove(name(account))
    }

    private func update(_ change: @escaping @Sendable (inout Content) -> Void) {
        state.withLock { state in
            let before = state.content
            change(&state.content)
            guard state.content != before else { return }
            if state.held == nil { write(state.content, change) } else { state.held?.append(change) }
        }
    }

    /// Writes a change to the file. Changes that other processes wrote meanwhile are kept.
    private func write(_ content: Content, _ change: (inout Content) -> Void) {
        guard let name else { return }
        var latest = Self.content(name, store) ?? content
        change(&latest)
        store.write(name, Self.bytes(latest))
    }

    /// Reads a cache file; nil if it is missing or unreadable.
    private static func content(_ name: String, _ store: any CacheStore) -> Content? {
        guard let bytes = store.read(name), let json = try? JSONParser.parse(bytes) else { return nil }
        var content = Content()
        content.nonces = texts(json["nonces"])
        content.nonceTimes = texts(json["nonce_times"]).compactMapValues { Int64($0).flatMap(plausible) }
        content.offsets = texts(json["offsets"]).compactMapValues { text in
            Int64(text).flatMap { $0.magnitude <= longestTime ? $0 : nil }
        }
        if let wall = json["offsets_at"]?.integer.flatMap(plausible),
            let boot = json["offsets_at_boot"]?.integer.flatMap(plausible)
        {
            content.offsetsLearned = Moment(wall: wall, boot: boot)
        }
        content.verification = json["verification"]
        if let date = json["move_looked_up_at"]?.integer.flatMap({ Date(recorded: $0) }) {
            content.moveLookup = MoveLookup(
                date: date, pds: json["move_pds"]?.string,
                isSameIssuer: json["move_same_issuer"]?.bool == true)
        }
        return content
    }

    /// A number of seconds that differences can be made of. Anyone may have written the file.
    private static func plausible(_ seconds: Int64) -> Int64? {
        (0...Int64(longestTime)).contains(seconds) ? seconds : nil
    }

    private static let longestTime: UInt64 = 1 << 40

    private static func name(_ account: UUID) -> String {
        "sessions/\(account.text).json"
    }

    private static func bytes(_ content: Content) -> [UInt8] {
        var json = JSONObject()
        json["nonces"] = object(content.nonces)
        json["nonce_times"] = object(content.nonceTimes.mapValues { String($0) })
        json["offsets"] = object(content.offsets.mapValues { String($0) })
        if let learned = content.offsetsLearned {
            json["offsets_at"] = JSONValue(learned.wall)
            json["offsets_at_boot"] = JSONValue(learned.boot)
        }
        json["verification"] = content.verification
        if let lookup = content.moveLookup {
            json["move_looked_up_at"] = JSONValue(Int64(lookup.date.timeIntervalSince1970))
            json["move_pds"] = lookup.pds.map { .string($0) }
            json["move_same_issuer"] = .bool(lookup.isSameIssuer)
        }
        return Array(JSONValue.object(json).text.utf8)
    }

    private static func object(_ texts: [String: String]) -> JSONValue {
        .object(
            JSONObject(
                texts.sorted { $0.key < $1.key }.map {
                    JSONObject.Member(name: $0.key, value: .string($0.value))
                }))
    }

    private static func texts(_ json: JSONValue?) -> [String: String] {
        var texts: [String: String] = [:]
        for member in json?.object?.members ?? [] { texts[member.name] = member.value.string }
        return texts
    }
}

extension Account {
    /// The time at the account's server, as far as earlier answers told how its clock differs.
    package func serverTime(at now: Date, caches: any CacheStore) -> Date {
        let cache = SessionCache(account: id, store: caches)
        return now.addingTimeInterval(Double(cache.offset(for: pds)))
    }
}
