import BskyAuthCovers
import Foundation
import Testing

/// What only the text of the sources can show.
@Suite("Sources") struct SourceTests {
    static func sources(of module: String) throws -> [(name: String, lines: [Substring])] {
        let folder = Tree.root.appending(path: "Sources/\(module)")
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        return try names.filter { $0.hasSuffix(".swift") }.map { name in
            let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            return (name, text.split(separator: "\n"))
        }
    }

    @Test(
        "secrets are compared in constant time",
        arguments: [
            ("OAuthDPoP", "State.swift", "func matches", "ConstantTime.equals("),
            ("ATPCryptography", "ConstantTime.swift", "func equals", "Memory.equals("),
            ("ATPCryptography", "SecretBytes.swift", "static func ==", "Memory.equals("),
            ("ATPCryptography", "Memory+OpenSSL.swift", "func equals", "CRYPTO_memcmp("),
            ("ATPCryptography", "Memory+CryptoKit.swift", "func equals", "timingsafe_bcmp("),
        ])
    func comparisons(module: String, file: String, function: String, comparison: String) throws {
        let sources = try Self.sources(of: module)
        let source = try #require(sources.first { "/\($0.name)".hasSuffix("/\(file)") })
        let body = try #require(source.lines.firstIndex { $0.contains(function) })
        let end = try #require(source.lines[body...].firstIndex { $0.drop { $0 == " " } == "}" })
        #expect(source.lines[body...end].contains { $0.contains(comparison) })
    }

    @Test(
        "no way to a session goes by the name of one provider", .covers("C1"),
        arguments: [
            "OAuthDPoP", "ATProtoIdentity", "ATProtoXRPC", "BskyAuthCore", "ATPNetworking", "ATProtoCurl",
        ])
    func providers(module: String) throws {
        for source in try Self.sources(of: module) {
            for line in source.lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                for name in ["bsky.social", "bsky.network", "bsky.app\""] {
                    #expect(!line.contains(name), "\(source.name): \(line)")
                }
            }
        }
    }
}
