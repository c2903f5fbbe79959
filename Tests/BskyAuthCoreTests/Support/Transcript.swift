import Foundation
import HTTPTypes
import JSON
import Testing

/// An answer that the reference server gave, moved to `pds.example.com` and the handle `alice.example.com`,
/// since `.test` leads nowhere on a real network.
enum Transcript {
    private static let folder = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appending(path: "Fixtures/transcripts/official")

    /// The answer, without the date that would teach the client a clock of its own.
    static func answer(_ name: String) throws -> ScriptedNetwork.Answer {
        let file = folder.appending(path: "\(name).json")
        let json = try JSONParser.parse(Array(try Data(contentsOf: file)))
        let response = try #require(json["response"])
        var fields: HTTPFields = [:]
        for member in response["headers"]?.object?.members ?? [] where member.name != "date" {
            let values = member.value.strings ?? [member.value.string ?? ""]
            for value in values {
                fields.append(HTTPField(name: try #require(HTTPField.Name(member.name)), value: value))
            }
        }
        let status = try #require(response["status"]?.integer)
        let body = try #require(response["body"]?.string)
            .replacing("carol.pds.test", with: "alice.example.com")
            .replacing("pds.test", with: "pds.example.com")
        return .response(Int(status), fields, Array(body.utf8))
    }
}
