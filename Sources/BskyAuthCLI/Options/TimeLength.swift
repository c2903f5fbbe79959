internal import ArgumentParser

/// A length of time as people write it: `90s`, `10m`, `2h`, `3d`; a bare number is seconds.
struct TimeLength: ExpressibleByArgument, Hashable, Sendable {
    let duration: Duration

    init(_ duration: Duration) {
        self.duration = duration
    }

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let count = Int64(digits), count <= 1_000_000_000 else { return nil }
        switch argument.dropFirst(digits.count) {
        case "", "s": duration = .seconds(count)
        case "m": duration = .seconds(count * 60)
        case "h": duration = .seconds(count * 3600)
        case "d": duration = .seconds(count * 86400)
        default: return nil
        }
    }

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
