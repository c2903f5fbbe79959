import Foundation
import Logging
import Testing

@testable import BskyAuthCLI

@Suite("The log for people") struct ConsoleLogTests {
    @Test("escapes control characters of messages and their details")
    func escapes() async throws {
        let result = try #require(
            await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                let console = Console(isQuiet: false, isVerbose: true, usesJSON: false)
                let log = Logger(label: "test") { _ in ConsoleLog(console: console) }
                log.notice("one\u{1b}[2J", metadata: ["curl": "two\rthree\u{9b}"])
                log.debug("four\u{1b}]0;", metadata: ["curl": "five"])
            })
        let text = String(decoding: result.standardErrorContent, as: UTF8.self)
        #expect(["one", "two", "three", "four", "five"].allSatisfy { text.contains($0) }, "\(text)")
        #expect(text.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    }
}
