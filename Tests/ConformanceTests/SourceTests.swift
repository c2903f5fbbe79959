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

    @Test("public errors say what happened also as localizedDescription") func localizedErrors() throws {
        let declaration = /^(?:public (?:struct|enum|final class)|extension) (\w+):(?: \w+,)* Error\b/
        var errors: Set<Substring> = []
        var localized: Set<Substring> = []
        for module in try FileManager.default.contentsOfDirectory(
            atPath: Tree.root.appending(path: "Sources").path)
        {
            for line in try Self.sources(of: module).flatMap(\.lines) {
                let code = line.drop { $0 == " " }
                if let found = code.firstMatch(of: declaration) {
                    errors.insert(found.output.1)
                }
                if let found = code.firstMatch(of: /^extension (\w+): (?:\w+, )?LocalizedError\b/) {
                    localized.insert(found.output.1)
                }
            }
        }
        #expect(errors.count >= 17)
        #expect(errors.subtracting(localized) == [])
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

    @Test("a hint has its words before the command, because a shell would take words behind it as arguments")
    func hints() throws {
        let isBehind = #/"[^"]*[^ "] {3,}[a-z(]|" {3,}(and|or) /#
        for source in try Self.sources(of: "BskyAuthCLI") {
            for line in source.lines where line.contains(isBehind) {
                Issue.record("\(source.name): \(line)")
            }
        }
    }

    /// The modules of the product that import one of these modules of the system.
    private static func importers(of isSystem: (Substring) -> Bool) throws -> Set<String> {
        let folder = Tree.root.appending(path: "Sources").path
        let modules = try FileManager.default.contentsOfDirectory(atPath: folder)
        return Set(
            try modules.filter { module in
                let imports = try sources(of: module).flatMap { $0.lines.filter { $0.contains("import ") } }
                return imports.contains { line in
                    let name = line.firstMatch(of: /^ *(?:[@\w]+ )*import (?:[a-z]+ )?(\w+)/)?.output.1
                    return name.map(isSystem) ?? false
                }
            })
    }

    @Test("docs/design/architecture.md names the modules that import C libraries, and no other does")
    func systemModules() throws {
        let page = try String(
            contentsOf: Tree.root.appending(path: "docs/design/architecture.md"), encoding: .utf8
        ).split { $0 == " " || $0.isNewline }.joined(separator: " ")
        let sentences = try #require(
            page.firstMatch(of: /Only ([^.]*) import C libraries\. ([^.]*) import Glibc/))
        func names(_ text: Substring) -> Set<String> {
            Set(text.matches(of: /\w+/).map { String($0.output) }).subtracting(["and"])
        }
        let libraries = try Self.importers { $0.hasPrefix("CATP") }
        #expect(libraries == names(sentences.output.1))
        #expect(try Self.importers { $0 == "Glibc" }.subtracting(libraries) == names(sentences.output.2))
    }

    @Test("one module calls a library of cryptography") func cryptography() throws {
        let libraries: Set = [
            "CATPOpenSSL", "CommonCrypto", "Crypto", "CryptoExtras", "CryptoKit", "Security", "_CryptoExtras",
        ]
        #expect(try Self.importers { libraries.contains(String($0)) } == ["ATPCryptography"])
    }

    @Test(
        "only code about sharing asks whether a vault is shared; changes of accounts go to their AccountPlace",
        arguments: [
            ("ATProtoVault", ["AccountPlace", "ClientFiles", "CredentialVault+Keys"]),
            ("BskyAuthCore", ["FlushFlow"]),
            (
                "BskyAuthCLI",
                ["CommandContext", "Doctor", "RefreshCommand", "VaultFlushCommand", "VaultMachinesCommand"]
            ),
        ])
    func sharing(module: String, files: [String]) throws {
        let users = try Self.sources(of: module).filter { source in
            !source.name.hasPrefix("Shared/")
                && source.lines.contains { $0.contains("sharedAccounts") }
        }
        let names = users.map { URL(filePath: $0.name).deletingPathExtension().lastPathComponent }
        #expect(Set(names) == Set(files))
    }

    @Test("the code still has each name that docs/design/glossary.md calls old") func oldNames() throws {
        let page = try String(
            contentsOf: Tree.root.appending(path: "docs/design/glossary.md"), encoding: .utf8)
        let table = try #require(page.components(separatedBy: "\n## Old names\n").dropFirst().first)
        let names = table.matches(of: /(?m)^\| ([^|]*)/).flatMap { row in
            row.output.1.matches(of: /`(\w+)`/).map { String($0.output.1) }
        }
        #expect(names.count > 3)
        let words = try ["Sources", "Server/Sources"].reduce(into: Set<Substring>()) { words, place in
            let folder = Tree.root.appending(path: place)
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            where name.hasSuffix(".swift") {
                let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                words.formUnion(text.split { !$0.isLetter && !$0.isNumber && $0 != "_" })
            }
        }
        #expect(names.filter { !words.contains(Substring($0)) } == [])
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
