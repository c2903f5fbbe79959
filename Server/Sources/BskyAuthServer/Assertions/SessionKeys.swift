internal import BskyAuthRows
internal import FoundationEssentials
internal import HTTPTypes

/// The session keys that assertions were made for.
///
/// A server binds a session to the client key of its first assertion, and the reference server ends the session when another
/// key signs. So the row of a session key names the client key that signs for it, and it is written before anything is signed.
struct SessionKeys: Sendable {
    let rows: any RowStore
    /// How long a key is remembered that asks for nothing.
    let idle: Duration
    let now: @Sendable () -> Date

    /// A session key as it is stored.
    struct Entry: Codable, Equatable {
        /// The client key that signs for it.
        let kid: String
        /// What has admitted it for good; nil if each request needs something that admits it.
        var enrolment: Enrolment?
        /// When it asked first.
        let since: Date
        /// The day on which it asked last.
        var day: Int
    }

    /// What has admitted a session key for good.
    enum Enrolment: Codable, Equatable {
        /// A one-time code, by the operator's name for it.
        case code(name: String)
        case hook
    }

    private static let prefix = "session-key/"

    func find(_ thumbprint: String) async throws -> Entry? {
        try await rows.get(Self.prefix + thumbprint).map { try RowCoding.decode(Entry.self, $0) }
    }

    /// Notes that a key asks for an assertion.
    ///
    /// - Parameters:
    ///   - kid: the client key that signs for it, if it asks for the first time.
    ///   - enrolment: what admits it for good from now on.
    /// - Returns: the client key that signs for it.
    func note(_ thumbprint: String, kid: String, enrolment: Enrolment?) async throws -> String {
        let (key, time) = (Self.prefix + thumbprint, now())
        let day = Int(time.timeIntervalSince1970 / 86400)
        for _ in 1...4 {
            let row = try await rows.get(key)
            let stored = try row.map { try RowCoding.decode(Entry.self, $0) }
            var entry = stored ?? Entry(kid: kid, enrolment: nil, since: time.wholeSeconds, day: day)
            entry.enrolment = entry.enrolment ?? enrolment
            entry.day = day
            if entry == stored { return entry.kid }
            let written = try await rows.put(
                key, try RowCoding.encode(entry), expiry: time + Double(idle.components.seconds),
                if: row.map { .unchanged($0.revision) } ?? .absent)
            if written != nil { return entry.kid }
        }
        throw Problem(
            .serviceUnavailable, "temporarily_unavailable", "Other requests use this key now. Try again.",
            retryAfter: 1)
    }

    func all() async throws -> [(thumbprint: String, entry: Entry)] {
        try await rows.all(Self.prefix).map { row in
            (String(row.key.dropFirst(Self.prefix.count)), try RowCoding.decode(Entry.self, row))
        }
    }

    /// Forgets a key. It must be admitted anew, and may then be signed for by another client key.
    ///
    /// - Returns: false if there is no such key.
    func remove(_ thumbprint: String) async throws -> Bool {
        try await rows.delete(Self.prefix + thumbprint, if: .always)
    }
}
