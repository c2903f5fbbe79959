package import Foundation

/// Where the things under test are.
package enum Paths {
    /// The root of the repository.
    package static let repository = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// The program under test, built beside these tests; `BSKYAUTH_TEST_BINARY` names another.
    package static let program =
        ProcessInfo.processInfo.environment["BSKYAUTH_TEST_BINARY"]
        ?? repository.appending(path: ".build/debug/bskyauth").path

    /// Whether that other program is tested: one that scripts/install built.
    package static let isInstalled = ProcessInfo.processInfo.environment["BSKYAUTH_TEST_BINARY"] != nil

    /// Makes a vault of many accounts. It is built beside these tests.
    package static let seeder = repository.appending(path: ".build/debug/bskyauth-vault-seeder").path

    /// Uses the library. It is built beside these tests.
    package static let library =
        repository.appending(path: ".build/debug/bskyauth-library").path

    /// The sandbox network, built by `swift build --package-path Sandbox --scratch-path .build`.
    package static let sandbox =
        ProcessInfo.processInfo.environment["BSKYAUTH_TEST_SANDBOX"]
        ?? repository.appending(path: ".build/debug/bskyauth-sandbox").path

    /// A person at a browser, played by a script that follows the HTML pages.
    package static let browser = repository.appending(path: "Tests/EndToEndSupport/browser.py").path

    /// The stand-in for `gh`, a shell script that is run with STATE set.
    package static let gh = repository.appending(path: "Tests/EndToEndSupport/gh.sh").path
}
