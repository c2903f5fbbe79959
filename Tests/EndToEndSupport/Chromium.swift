package import BskyAuthTestPrograms
internal import Foundation
import Glibc

/// A person at Chromium, played by chromium.py.
package enum Chromium {
    /// Whether Debian's chromium, chromium-driver and python3-selenium are there.
    package static let isInstalled = [
        "/usr/bin/chromium", "/usr/bin/chromedriver", "/usr/lib/python3/dist-packages/selenium",
    ].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

    /// Whether scripts/test has installed them, so that no test of a page is left out unseen.
    package static let isExpected = ProcessInfo.processInfo.environment["BSKYAUTH_TEST_CHROMIUM"] == "1"

    /// What the person does.
    package enum Step: Sendable {
        case signIn
        case accept
        case reject
        /// Accepts, and opens a URL in another tab once tokens are asked for. The page of that tab comes first.
        case acceptAndVisit(String)
        /// Opens a URL in another tab, and stays there.
        case visit(String)
        /// Closes that tab.
        case back
        case reload

        var json: [String: String] {
            switch self {
            case .signIn: ["do": "sign in"]
            case .accept: ["do": "accept"]
            case .reject: ["do": "reject"]
            case .acceptAndVisit(let url): ["do": "accept and visit", "url": url]
            case .visit(let url): ["do": "visit", "url": url]
            case .back: ["do": "back"]
            case .reload: ["do": "reload"]
            }
        }
    }

    /// A login and what its person saw.
    package struct Visit: Sendable {
        package let login: Program.Result
        package let report: Report
        /// The pages of the steps that lead to one, in order.
        package var pages: [Page] { report.pages }
    }

    package struct Report: Decodable, Sendable {
        package let pages: [Page]
        /// Every URL that was asked for, of any scheme.
        package let requests: [String]
        package let console: [ConsoleEntry]
    }

    package struct ConsoleEntry: Decodable, Sendable {
        package let source: String
        package let message: String
    }

    package struct Page: Decodable, Sendable {
        package let url: String
        package let title: String
        package let language: String
        package let viewport: String?
        /// What can be read.
        package let text: String
        /// The names of the elements in `main`.
        package let elements: [String]
        /// What the page had loaded.
        package let resources: [String]
        /// The URLs of the tab's history.
        package let history: [String]
        /// In light and dark, wide and narrow.
        package let looks: [Look]
    }

    package struct Look: Decodable, Sendable {
        package let scheme: String
        package let width: Int
        /// Wider than ``width`` where one has to scroll sideways.
        package let contentWidth: Int
        package let texts: [Text]
        /// The sign on its outline; nil on pages that have none.
        package let mark: Colors?
    }

    package struct Text: Decodable, Sendable {
        package let text: String
        package let color: String
        package let background: String

        package var colors: Colors { Colors(color: color, background: background) }
    }
}

extension Home {
    /// Logs in with a person at Chromium, who goes on looking when the program has ended.
    ///
    /// - Parameter name: what the pictures in `.build/pages` are called.
    package func logInAtChromium(
        _ arguments: String..., steps: [Chromium.Step], named name: String
    ) async throws -> Chromium.Visit {
        let script = Paths.repository.appending(path: "Tests/EndToEndSupport/chromium.py").path
        let pictures = Paths.repository.appending(path: ".build/pages")
        try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
        let pipe = directory.appending(path: "report-\(UUID().uuidString)").path
        guard unsafe mkfifo(pipe, 0o600) == 0 else { throw POSIXError(.init(rawValue: errno) ?? .EIO) }
        let json = try JSONSerialization.data(withJSONObject: steps.map(\.json))
        let report = try Program.Running("/bin/cat", [pipe], environment: [:])
        let login = try Program.Running(
            Paths.program, ["login"] + arguments,
            environment: variables(
                [
                    "BSKYAUTH_BROWSER": "\(Program.python) \(script)", "BSKYAUTH_TEST_REPORT": pipe,
                    "BSKYAUTH_TEST_STEPS": String(decoding: json, as: UTF8.self),
                    "BSKYAUTH_TEST_SCREENSHOTS": pictures.appending(path: name).path,
                ], nil),
            directory: directory)
        async let result = Self.result(of: login, closing: pipe)
        let text = try await report.result().output
        guard let report = try? Self.decode(Chromium.Report.self, text) else {
            // No test would come back to it.
            login.signal(SIGTERM)
            throw PersonFailed(
                report: String(decoding: text, as: UTF8.self), login: try await result.errors)
        }
        return Chromium.Visit(login: try await result, report: report)
    }

    /// Waits for the end of a login, and then for no person who has not come by then.
    private static func result(
        of login: Program.Running, closing pipe: String
    ) async throws -> Program.Result {
        let result = try await login.result()
        let end = unsafe open(pipe, O_WRONLY | O_NONBLOCK)
        if end >= 0 { close(end) }
        return result
    }
}

/// A person who did not come to the end of their steps.
package struct PersonFailed: Error {
    package let report: String
    package let login: String
}
