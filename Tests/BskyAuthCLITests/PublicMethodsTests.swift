import Foundation
import JSON
import Testing

@testable import BskyAuthCLI

@Suite("PublicMethods") struct PublicMethodsTests {
    @Test("are those of the lexicons, and no other")
    func lexicons() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Fixtures/lexicons.json")
        let methods = try JSONParser.parse(Array(try Data(contentsOf: file)))["methods"]?.object?.members
        let names = try #require(methods).map(\.name)
        #expect(names.count > 300)
        #expect(PublicMethods.names == names.sorted())
    }
}
