import Foundation
import Testing

/// The Swift examples of the guides and of the articles. They are compiled, because each is code of a program of Tests/Clients.
/// The programs run in Tests/Independent.
@Suite("Guides to the libraries") struct GuideTests {
    private static let pages: [String] = {
        let files = FileManager.default.enumerator(atPath: Tree.root.appending(path: "Sources").path)
        let articles = (files?.compactMap { $0 as? String } ?? []).filter {
            $0.contains(".docc/") && $0.hasSuffix(".md")
        }
        return ["docs/library.md", "docs/library-oauth.md"] + articles.sorted().map { "Sources/\($0)" }
    }()

    /// What this machine has no compiler for. An example with such a code begins with a comment that names it.
    private static let exempt = ["Apple UI", "Keychain", "CryptoKit"]

    private static func text(_ path: String) throws -> String {
        try String(contentsOf: Tree.root.appending(path: path), encoding: .utf8)
    }

    /// The lines without their indentation.
    private static func lines(_ text: some StringProtocol) -> String {
        "\n" + text.split(separator: "\n").map { $0.drop { $0 == " " } }.joined(separator: "\n") + "\n"
    }

    private static let programs: [String] = {
        let folder = "Tests/Clients"
        let files = FileManager.default.enumerator(atPath: Tree.root.appending(path: folder).path)
        let sources = (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }
        return sources.compactMap { try? lines(text("\(folder)/\($0)")) }
    }()

    private static func examples(of page: String) throws -> [Substring] {
        try text(page).matches(of: /(?ms)^```swift\n(.*?)\n```$/).map(\.output.1)
    }

    private static func reason(of example: Substring) -> String? {
        example.prefixMatch(of: /\/\/ Not compiled here: (.*?)\.\n/).map { String($0.output.1) }
    }

    @Test("each Swift example is code of a program, or names what can't be compiled here", arguments: pages)
    func compiled(page: String) throws {
        for example in try Self.examples(of: page) {
            if let reason = Self.reason(of: example) {
                #expect(Self.exempt.contains(reason), "\(example)")
            } else {
                let code = Self.lines(example)
                #expect(Self.programs.contains { $0.contains(code) }, "\(example)")
            }
        }
    }

    @Test("docs/library.md has a row for each library of the package") func products() throws {
        let manifest = try Self.text("Package.swift")
        let products = manifest.matches(of: /\.library\(\s*name: "(\w+)"/).map { String($0.output.1) }
        #expect(products.count > 10)
        let rows = try Self.text("docs/library.md").matches(of: /(?m)^\| `(\w+)` \|/)
        #expect(Set(products).subtracting(rows.map { String($0.output.1) }) == [])
    }

    @Test("one example each can't be compiled here") func exempted() throws {
        let examples = try Self.pages.flatMap { try Self.examples(of: $0) }
        #expect(examples.compactMap { Self.reason(of: $0) }.sorted() == Self.exempt.sorted())
        #expect(examples.count > 30)
    }
}
