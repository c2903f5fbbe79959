import Foundation
import Testing

/// The modules that apps use are written for Apple's systems too. They were never built there, so the text of their
/// sources is checked.
@Suite("Modules for apps") struct AppModuleTests {
    private static let modules = [
        "ATPJSON", "ATPNetworking", "ATPCryptography", "OAuthDPoP", "ATProtoIdentity",
        "ATProtoLexicons", "ATProtoXRPC",
        "ATProtoOAuth", "ATProtoRecordProof", "ATProtoSessions", "ATProtoBackendClient", "ATProtoURLSession",
    ]
    /// What every import may name.
    private static let portable = Set(modules + ["HTTPTypes", "Logging", "Synchronization"])

    @Test("import what Apple's systems have, and the rest behind #if", arguments: modules)
    func imports(module: String) throws {
        for source in try SourceTests.sources(of: module) {
            var portable = Self.portable
            if module == "ATProtoURLSession" { portable.formUnion(["Foundation", "Dispatch"]) }
            #expect(Self.unfit(source.lines, portable) == [], "\(source.name)")
        }
    }

    @Test(
        "are refused where Apple's systems would refuse them",
        arguments: [
            "internal import FoundationEssentials", "package import Foundation", "internal import Glibc",
            "internal import CATPOpenSSL", "import ATPPlatform", "@preconcurrency internal import CryptoKit",
            "internal import struct FoundationEssentials.Date",
            "#if canImport(FoundationEssentials)\n    public import FoundationEssentials\n#endif",
            """
            #if canImport(FoundationEssentials)
                public import FoundationEssentials
            #else
                internal import Foundation
            #endif
            """,
        ])
    func refused(text: String) {
        #expect(Self.unfit(text.split(separator: "\n"), Self.portable).count == 1)
    }

    @Test("name the type Handle with its module, because Apple's Foundation exports another one")
    func handle() throws {
        for module in Self.modules where module != "ATProtoIdentity" {
            for source in try SourceTests.sources(of: module)
            where source.lines.contains(where: { $0.hasSuffix("import Foundation") }) {
                for line in source.lines where !line.drop(while: { $0 == " " }).hasPrefix("//") {
                    #expect(!line.contains(/(^|[^.\w])Handle\b/), "\(source.name): \(line)")
                }
            }
        }
    }

    /// The imports that don't work on all systems. `swift format` indents what is behind `#if`, so an import at the
    /// beginning of a line is unconditional.
    private static func unfit(_ lines: [Substring], _ portable: Set<String>) -> [Substring] {
        lines.indices.filter { index in
            guard let module = lines[index].firstMatch(of: /^ *(?:[@\w]+ )*import (?:[a-z]+ )?(\w+)/) else {
                return false
            }
            guard module.output.1 == "FoundationEssentials" else {
                return lines[index].first != " " && !portable.contains(String(module.output.1))
            }
            let block = [
                "#if canImport(FoundationEssentials)", lines[index], "#else",
                lines[index].replacing("Essentials", with: ""), "#endif",
            ]
            return !lines[max(index - 1, 0)...].starts(with: block)
        }
        .map { lines[$0] }
    }
}
