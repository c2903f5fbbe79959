import ATPCryptography
import ATProtoVault
import ArgumentParser
import Foundation
import Testing

@testable import BskyAuthCLI

@Suite("Options of bundles") struct BundleOptionTests {
    private func source(_ arguments: [String], _ environment: [String: String] = [:]) throws -> String {
        let console = Console(isQuiet: true, isVerbose: false, usesJSON: false)
        switch try BundleOptions.parse(arguments).source(Settings(environment: environment), console) {
        case .keyFile(let path): return path
        case .passphrase(let passphrase): return String(decoding: passphrase.bytes, as: UTF8.self)
        }
    }

    @Test("the command line comes before the environment, and one key is enough")
    func precedence() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "bskyauth-\(UUID())")
        try Data("from a file\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let environment = ["BSKYAUTH_RECIPIENT_KEY": "/e"]
        #expect(try source(["--recipient-key", "/k"]) == "/k")
        #expect(try source([], environment) == "/e")
        #expect(try source(["--recipient-key", "/k"], environment) == "/k")
        #expect(try source(["--bundle-passphrase-file", file.path], environment) == "from a file")
        #expect(try source([], ["BSKYAUTH_BUNDLE_PASSPHRASE_FILE": file.path]) == "from a file")
        #expect(throws: Failure.self) { try source([]) }
        #expect(throws: Failure.self) {
            try source([], environment.merging(["BSKYAUTH_BUNDLE_PASSPHRASE_FILE": file.path]) { $1 })
        }
    }

    @Test("a key that does not open bundles of a directory is told with five of them and the directory")
    func wrongKey() {
        let paths = (1...7).map { "/b/\($0).bundle" }
        let many = ErrorPresenter.wrongKey(.wrongPassphrase, ofBundles: paths, in: "/b")
        let five = "/b/1.bundle, /b/2.bundle, /b/3.bundle, /b/4.bundle, /b/5.bundle"
        #expect(many.message == "7 bundles (\(five) and 2 more) are not opened by this passphrase")
        #expect(many.hint == "bskyauth accounts import /b --bundle-passphrase-file FILE")
        let one = ErrorPresenter.wrongKey(.wrongKeyFile(path: "/k"), ofBundles: ["/b/1.bundle"], in: "/b")
        #expect(one.message == "1 bundle (/b/1.bundle) is not opened by the key file /k")
        #expect(one.code == "wrong_key_file" && one.status == .vaultLocked)
    }
}
