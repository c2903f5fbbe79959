import Foundation
import HTTPTypes
import JSON
import Networking
import Testing

/// What lies in `shared/` beside the working tree and is not kept with the tests.
enum Vectors {
    static let arePresent =
        FileManager.default.fileExists(atPath: shared.appending(path: "vectors/metadata").path)
        || ProcessInfo.processInfo.environment["CI"] != nil

    static func metadata(_ name: String) throws -> JSONValue {
        try json(shared.appending(path: "vectors/metadata/\(name).json"))
    }

    /// A recorded exchange with any server.
    static func recording(_ number: String, of server: String) throws -> JSONValue {
        let folder = shared.appending(path: "transcripts/\(server)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let name = try #require(names.first { $0.hasPrefix("\(number)-") }, "no recording \(number)")
        return try json(folder.appending(path: name))
    }

    /// What the server said then.
    static func answer(_ number: String, of server: String) throws -> ScriptedTransport.Answer {
        let response = try #require(try recording(number, of: server)["response"])
        let status = try #require(response["status"]?.integer)
        var fields: HTTPFields = [:]
        for member in response["headers"]?.object?.members ?? [] where member.name != "date" {
            fields[try #require(HTTPField.Name(member.name))] = member.value.string
        }
        return .response(Int(status), fields, Array((response["body"]?.string ?? "").utf8))
    }

    private static func json(_ url: URL) throws -> JSONValue {
        try JSONParser.parse(Array(Data(contentsOf: url)))
    }

    private static let shared = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../shared").standardizedFileURL
}

extension Trait where Self == ConditionTrait {
    /// Skips where the shared folder is not there; under CI its absence fails.
    static var needsVectors: Self {
        .enabled(if: Vectors.arePresent, "../shared is not there: nothing was checked")
    }
}
