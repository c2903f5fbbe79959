import Foundation
import Testing

@testable import BskyAuthCLI

@Suite("The manual") struct ManualTests {
    private static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// A section of bskyauth(1).
    private static func section(_ title: String) throws -> String {
        let page = try String(contentsOf: repository.appending(path: "man/bskyauth.1"), encoding: .utf8)
        let found = page.components(separatedBy: "\n.Sh \(title)\n")
        try #require(found.count == 2, "\(title)")
        return found[1].components(separatedBy: "\n.Sh ")[0]
    }

    @Test("has every exit status, and no other") func exitStatuses() throws {
        let told = try Self.section("EXIT STATUS").matches(of: /(?m)^\.It ([0-9 ,]+)$/)
            .flatMap { $0.output.1.components(separatedBy: " , ").compactMap(Int32.init) }
        #expect(told == (0...255).filter { ExitStatus(rawValue: $0) != nil })
    }

    @Test("has every variable of ours that is read, and no other") func variables() throws {
        let told = try Self.section("ENVIRONMENT").matches(of: /(?m)^\.It Ev (.*)$/)
            .flatMap { $0.output.1.components(separatedBy: " , ") }.filter { $0.hasPrefix("BSKYAUTH_") }
        let source = try ["Settings", "NetworkSettings"].map {
            try String(
                contentsOf: Self.repository.appending(path: "Sources/BskyAuthCLI/Live/\($0).swift"),
                encoding: .utf8)
        }.joined()
        let read = Set(source.matches(of: /"(BSKYAUTH_[A-Z_]+)"/).map { String($0.output.1) })
        #expect(read.count > 10 && told.count == Set(told).count && Set(told) == read)
    }
}
