import Cryptography
import Foundation
import Testing

@Suite("OpenSSL") struct OpenSSLTests {
    private static let fips = """
        openssl_conf = all
        [all]
        alg_section = algorithms
        [algorithms]
        default_properties = fips=yes

        """

    @Test("starts with an empty or missing configuration", arguments: ["/dev/null", "/missing/openssl.cnf"])
    func usable(file: String) async {
        // OpenSSL reads its configuration once in a process.
        await #expect(processExitsWith: .success) { [file = file as String] in
            _ = unsafe setenv("OPENSSL_CONF", file, 1)
            try OpenSSL.start()
            try OpenSSL.requireES256()
            #expect(SHA256.hash([]).count == 32)
        }
    }

    @Test("reports a configuration that excludes an algorithm, and one that is no configuration")
    func unusable() async throws {
        for (content, canBeRead) in [(Self.fips, true), ("[all\n= no name\n", false)] {
            let file = FileManager.default.temporaryDirectory.appending(path: "openssl-\(UUID()).cnf")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(content.utf8).write(to: file)
            await #expect(processExitsWith: .success) { [path = file.path as String, canBeRead = canBeRead as Bool] in
                _ = unsafe setenv("OPENSSL_CONF", path, 1)
                let expected: CryptographyError =
                    canBeRead ? .operationFailed("SHA-256") : .unreadableConfiguration
                #expect(throws: expected) { try OpenSSL.start() }
            }
        }
    }
}
