internal import ArgumentParser

/// A port or a range of them: `8400` or `8400-8410`.
struct PortRange: ExpressibleByArgument, Hashable, Sendable {
    let ports: ClosedRange<Int>

    init?(argument: String) {
        let ends = argument.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard argument.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2d }),
            (1...2).contains(ends.count), let first = ends.first ?? nil, let last = ends.last ?? nil,
            first >= 1, last <= 65535, first <= last
        else { return nil }
        ports = first...last
    }
}
