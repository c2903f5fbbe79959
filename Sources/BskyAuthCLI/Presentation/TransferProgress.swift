internal import Synchronization

/// The progress of a body, on a separate line. Fast transfers show no progress.
final class TransferProgress: Sendable {
    /// `sending` or `receiving`.
    private let what: String
    /// The length in bytes; nil if it is unknown before the end.
    private let total: Int64?
    private let line: ProgressLine
    /// A body may still be on its way when the answer is there already, and that is nothing to tell any more.
    private let isOver = Mutex(false)

    init(_ what: String, total: Int64?, on line: ProgressLine) {
        self.what = what
        self.total = total
        self.line = line
    }

    /// Says how many bytes have passed.
    func show(_ count: Int64) {
        guard max(count, total ?? 0) > Self.smallest else { return }
        isOver.withLock { isOver in
            if !isOver { line.show(text(count)) }
        }
    }

    /// Removes the line for good.
    func end() {
        isOver.withLock { isOver in
            isOver = true
            line.clear()
        }
    }

    /// The text of the line after a number of bytes. A server may name any total, so the total is divided and never
    /// multiplied, which could overflow.
    func text(_ count: Int64) -> String {
        guard let total, count <= total else { return "\(what) \(Self.megabytes(count))" }
        return "\(what) \(count / max(total / 100, 1))% of \(Self.megabytes(total))"
    }

    /// Fewer bytes than this are transferred too fast for a progress line.
    private static let smallest: Int64 = 1_000_000

    private static func megabytes(_ count: Int64) -> String {
        let (whole, rest) = count.quotientAndRemainder(dividingBy: 1_000_000)
        return "\(rest < 500_000 ? whole : whole + 1) MB"
    }
}
