internal import ArgumentParser

/// A length of time as people write it: `90s`, `10m`, `1h30m`, `3d`; a bare number is seconds.
struct TimeLength: ExpressibleByArgument, Hashable, Sendable {
    let duration: Duration

    init(_ duration: Duration) {
        self.duration = duration
    }

    init?(argument: String) {
        var (rest, sum, previous) = (argument[...], Int64(0), Int64.max)
        repeat {
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            guard let count = Int64(digits), count <= 1_000_000_000 else { return nil }
            rest = rest.dropFirst(digits.count)
            let isBare = digits.count == argument.count
            let unit = isBare ? 1 : rest.popFirst().flatMap { Self.units[$0] }
            // Each unit once, and the largest first.
            guard let unit, unit < previous else { return nil }
            (sum, previous) = (sum + count * unit, unit)
        } while !rest.isEmpty
        duration = .seconds(sum)
    }

    /// In seconds.
    private static let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86400]

    /// As a person would write it, in the largest unit that leaves no rest: what help shows of a default.
    var defaultValueDescription: String {
        let count = duration.components.seconds
        let unit =
            [("d", 86400), ("h", 3600), ("m", 60)].first { count > 0 && count % $0.1 == 0 } ?? ("s", 1)
        return "\(count / unit.1)\(unit.0)"
    }

    /// Whole seconds.
    var seconds: Double { Double(duration.components.seconds) }
}
