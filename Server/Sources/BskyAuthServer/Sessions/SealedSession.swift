internal import BskyAuthServerSupport
internal import FoundationEssentials

/// What an app or a browser holds of its session: sealed by the server, and worth nothing without the session's row.
struct SealedSession: Sendable, Equatable {
    /// The session's row.
    let session: UUID
    /// Counts the refreshes of the session.
    let generation: UInt32
    /// The app that the session is for.
    let audience: String
    /// When the token ends.
    let expiry: Date

    /// The most characters of a token, so that longer texts are refused unread.
    private static let longest = 512

    func text(sealedBy ring: SealingRing) throws -> String {
        let (upper, lower) = session.halves
        var bytes: [UInt8] = []
        for number in [upper, lower, UInt64(max(0, expiry.timeIntervalSince1970))] {
            bytes += number.bigEndianBytes
        }
        bytes += UInt64(generation).bigEndianBytes.suffix(4)
        return Base64URL.encode(try ring.seal(bytes + Array(audience.utf8), for: .session))
    }

    /// Opens a token. The row must be looked up next: it says whether the session still exists.
    ///
    /// - Throws: ``SealError`` if the token was not sealed here, was changed, or has expired.
    init(_ text: String, openedBy ring: SealingRing, at now: Date) throws(SealError) {
        guard text.utf8.count <= Self.longest, let sealed = Base64URL.decode(text) else { throw SealError() }
        let bytes = try ring.open(sealed, for: .session)
        guard bytes.count > 28, let audience = String(validating: bytes[28...], as: UTF8.self) else {
            throw SealError()
        }
        let numbers = stride(from: 0, to: 24, by: 8).map { UInt64(bigEndian: bytes[$0..<$0 + 8]) }
        self.init(
            session: UUID(halves: numbers[0], numbers[1]),
            generation: UInt32(truncatingIfNeeded: UInt64(bigEndian: bytes[24..<28])), audience: audience,
            expiry: Date(timeIntervalSince1970: Double(numbers[2])))
        guard now < expiry else { throw SealError() }
    }

    init(session: UUID, generation: UInt32, audience: String, expiry: Date) {
        self.session = session
        self.generation = generation
        self.audience = audience
        self.expiry = expiry.wholeSeconds
    }
}

extension UInt64 {
    fileprivate var bigEndianBytes: [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> UInt64($0)) }
    }

    fileprivate init(bigEndian bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension UUID {
    fileprivate var halves: (UInt64, UInt64) {
        let bytes = uuid
        return (
            UInt64(bigEndian: [bytes.0, bytes.1, bytes.2, bytes.3, bytes.4, bytes.5, bytes.6, bytes.7]),
            UInt64(bigEndian: [bytes.8, bytes.9, bytes.10, bytes.11, bytes.12, bytes.13, bytes.14, bytes.15])
        )
    }

    fileprivate init(halves upper: UInt64, _ lower: UInt64) {
        let (a, b) = (upper.bigEndianBytes, lower.bigEndianBytes)
        self.init(
            uuid: (
                a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]
            ))
    }
}
