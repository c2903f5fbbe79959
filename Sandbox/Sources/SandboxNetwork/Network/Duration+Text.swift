import Foundation

extension Duration {
    /// Reads `30s`, `5m`, `1h`, `14d`, `250ms`; a minus sign in front is allowed.
    public init?(sandboxText text: String) {
        let units: [(suffix: String, milliseconds: Double)] = [
            ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
        ]
        for unit in units where text.hasSuffix(unit.suffix) {
            guard let count = Double(text.dropLast(unit.suffix.count)), count.isFinite else { return nil }
            let milliseconds = count * unit.milliseconds
            guard abs(milliseconds) < 1e13 else { return nil }
            self = .milliseconds(Int64(milliseconds.rounded()))
            return
        }
        return nil
    }

    /// The duration in seconds, as Foundation's dates count.
    var timeInterval: TimeInterval {
        TimeInterval(components.seconds) + TimeInterval(components.attoseconds) / 1e18
    }
}
