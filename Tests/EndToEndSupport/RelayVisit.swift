internal import BskyAuthTestPrograms
package import Foundation

/// A person at Chromium who comes to pages of a client's static site, played by relay_page.py.
package struct RelayVisit: Decodable, Sendable {
    package let pages: [Page]
    /// Every URL that the browser asked for, of any scheme.
    package let requests: [String]
    package let console: [Chromium.ConsoleEntry]
    /// Every request to the static host.
    package let served: [Request]
    /// Every request to the listener on this computer.
    package let received: [Request]
    package let places: Places

    /// What the person does. Addresses may have placeholders: relay_page.py.
    package enum Step: Sendable {
        /// Stops the clock of all later pages.
        case holdClock
        /// Runs what a page with a stopped clock wants to do later.
        case letTimePass
        case forbidScripts
        /// Opens an address as a link of another page does.
        case open(String)
        /// Opens an address in the page that is there.
        case follow(String)
        case enterFrame
        case clickOn(String)
        case press(String)
        case selectAll
        case awaitListener
        case awaitFailure
        case reload
        /// Goes back as the menu of the Back button does.
        case back
        /// Goes back as the button itself does. It passes over pages that the person has not touched.
        case backButton
        case look
        /// In light and dark, on a wide and on a narrow window.
        case lookClosely

        fileprivate var json: [String: String] {
            switch self {
            case .holdClock: ["do": "hold clock"]
            case .letTimePass: ["do": "let time pass"]
            case .forbidScripts: ["do": "forbid scripts"]
            case .open(let address): ["do": "open", "address": address]
            case .follow(let address): ["do": "follow", "address": address]
            case .enterFrame: ["do": "enter frame"]
            case .clickOn(let selector): ["do": "click on", "selector": selector]
            case .press(let keys): ["do": "press", "keys": keys]
            case .selectAll: ["do": "select all"]
            case .awaitListener: ["do": "await listener"]
            case .awaitFailure: ["do": "await failure"]
            case .reload: ["do": "reload"]
            case .back: ["do": "back"]
            case .backButton: ["do": "back button"]
            case .look: ["do": "look"]
            case .lookClosely: ["do": "look closely"]
            }
        }
    }

    package struct Page: Decodable, Sendable {
        package let url: String
        package let title: String
        /// What can be read.
        package let text: String
        /// The line to copy; nil where none is shown.
        package let line: String?
        /// Where the link leads; nil where none is shown.
        package let target: String?
        package let links: Int
        /// The state of the history entry, as JSON.
        package let kept: String
        package let selected: String
        /// How many things a page with a stopped clock wants to do later.
        package let timers: Int?
        package let looks: [Chromium.Look]?
    }

    package struct Request: Decodable, Sendable {
        package let target: String
        /// The fields, their names in lower case.
        package let headers: [String: String]
    }

    package struct Places: Decodable, Sendable {
        package let host: String
        package let port: String
        package let closed: String
    }

    /// Takes the steps.
    ///
    /// - Parameters:
    ///   - folder: what the static host serves.
    ///   - name: what the pictures in `.build/pages` are called.
    package static func take(_ steps: [Step], to folder: URL, named name: String) async throws -> RelayVisit {
        let script = Paths.repository.appending(path: "Tests/EndToEndSupport/relay_page.py").path
        let pictures = Paths.repository.appending(path: ".build/pages")
        try FileManager.default.createDirectory(at: pictures, withIntermediateDirectories: true)
        let json = String(decoding: try JSONEncoder().encode(steps.map(\.json)), as: UTF8.self)
        let result = try await Program.run(
            Program.python, ["-B", script, folder.path, pictures.appending(path: name).path, json],
            environment: Program.inheritedEnvironment)
        guard result.status == 0 else { throw PersonFailed(report: result.errors, login: "") }
        return try JSONDecoder().decode(RelayVisit.self, from: result.output)
    }
}
