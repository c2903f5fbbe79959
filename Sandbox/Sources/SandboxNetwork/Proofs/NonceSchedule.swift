import Foundation

/// DPoP nonces of one role: an HMAC of a counter that advances with the clock.
///
/// Answers carry the next nonce. The previous, current and next ones are accepted, so a nonce is good for two to
/// three rotations (`protocol:R61`, cases 194-197).
struct NonceSchedule: Sendable {
    private let secret = HMACKey()
    private let clock: SandboxClock
    private let rotation: TimeInterval
    /// Whether the server uses nonces.
    let areUsed: Bool

    init(clock: SandboxClock, rotation: Duration, areUsed: Bool = true) {
        self.areUsed = areUsed
        self.clock = clock
        self.rotation = max(rotation.timeInterval, 0.001)
    }

    /// The value of `DPoP-Nonce`, if the server uses nonces.
    var next: String? { areUsed ? nonce(counter + 1) : nil }

    func accepts(_ nonce: String) -> Bool {
        let now = counter
        return (now - 1...now + 1).contains { self.nonce($0) == nonce }
    }

    private var counter: Int64 {
        Int64((clock.now.timeIntervalSince1970 / rotation).rounded(.down))
    }

    private func nonce(_ counter: Int64) -> String {
        let bytes = withUnsafeBytes(of: counter.bigEndian) { Array($0) }
        return Base64URL.encode(secret.code(for: bytes))
    }
}
