import Testing

@testable import BskyAuthCLI

@Suite("The progress of a body") struct TransferProgressTests {
    private let line = ProgressLine(isShown: false)

    @Test(
        "is told in hundredths and whole megabytes, whatever total a server names",
        arguments: [
            (0, 5_000_000, "receiving 0% of 5 MB"), (2_499_999, 5_000_000, "receiving 49% of 5 MB"),
            (5_000_000, 5_000_000, "receiving 100% of 5 MB"),
            (1_000_099, 1_000_099, "receiving 100% of 1 MB"),
            (1_499_999, nil, "receiving 1 MB"), (1_500_000, nil, "receiving 2 MB"),
            (5_000_000, 2_000_000, "receiving 5 MB"),
            (2_000_000, Int64.max, "receiving 0% of 9223372036855 MB"),
            (Int64.max, Int64.max, "receiving 100% of 9223372036855 MB"),
            (Int64.max, nil, "receiving 9223372036855 MB"),
        ] as [(Int64, Int64?, String)])
    func text(count: Int64, total: Int64?, expected: String) {
        #expect(TransferProgress("receiving", total: total, on: line).text(count) == expected)
    }

    @Test("is not put into words where nobody sees them") func unseen() {
        var isMade = false
        func words() -> String {
            isMade = true
            return "receiving"
        }
        line.show(words())
        #expect(!isMade)
    }
}
