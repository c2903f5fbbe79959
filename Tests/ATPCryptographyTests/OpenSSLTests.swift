import ATPCryptography
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

    @Test(
        "reports a configuration that excludes an algorithm, and a file that is no configuration",
        arguments: [(fips, "operationFailed(\"SHA-256\")"), ("[all\n= no name\n", "unreadableConfiguration")])
    func unusable(content: String, error: String) async {
        await #expect(processExitsWith: .success) { [content = content as String, error = error as String] in
            let file = FileManager.default.temporaryDirectory.appending(path: "openssl-\(UUID()).cnf")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(content.utf8).write(to: file)
            _ = unsafe setenv("OPENSSL_CONF", file.path, 1)
            let thrown = #expect(throws: CryptographyError.self) { try OpenSSL.start() }
            #expect(thrown.map { "\($0)" } == error)
        }
    }
}
