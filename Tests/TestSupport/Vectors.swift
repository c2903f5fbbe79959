package import ATPJSON
package import Foundation
import Synchronization
package import Testing

/// Test data that others published: `Tests/Fixtures`, and the folder `shared` beside the working tree.
package enum Vectors {
    private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
    private static let shared = tests.appending(path: "../../shared").standardizedFileURL

    /// Whether the shared folder is there. CI counts it as there, so that tests fail without it.
    package static let arePresent =
        FileManager.default.fileExists(atPath: shared.appending(path: "vectors").path)
        || ProcessInfo.processInfo.environment["CI"] != nil

    /// A file of `Tests/Fixtures`.
    package static func fixture(_ name: String) throws -> JSONValue {
        try json(tests.appending(path: "Fixtures/\(name)"))
    }

    /// The documents of the edition that the generator reads, by name.
    package static func lexicons() throws -> [JSONObject.Member] {
        try #require(fixture("lexicons.json")["lexicons"]?.object?.members)
    }

    /// The queries and procedures of ``lexicons()``: their type, and what `call` checks of them. `paged` names lists of items.
    package static func methods() throws -> [JSONObject.Member] {
        try lexicons().compactMap { document in
            document.value["defs"]?["main"].flatMap(method).map { .init(name: document.name, value: $0) }
        }
    }

    private static func method(_ main: JSONValue) -> JSONValue? {
        guard ["query", "procedure"].contains(main["type"]?.string) else { return nil }
        let members = main["parameters"]?["properties"]?.object?.members ?? []
        let types = members.map { member in
            let type = member.value["type"]?.string ?? ""
            let whole = type == "array" ? "array:" + (member.value["items"]?["type"]?.string ?? "") : type
            return JSONObject.Member(name: member.name, value: .string(whole))
        }
        let answer = main["output"]?["schema"]?["properties"]?.object?.members ?? []
        let hasPages = members.contains { $0.name == "cursor" } && answer.contains { $0.name == "cursor" }
        return [
            "type": main["type"] ?? nil, "params": .object(JSONObject(types)),
            "required": main["parameters"]?["required"] ?? [], "input": main["input"]?["encoding"] ?? nil,
            "output": main["output"]?["encoding"] ?? nil,
            "paged": JSONValue(hasPages ? answer.filter { $0.value["type"] == "array" }.map(\.name) : []),
        ]
    }

    /// A set of the values that RFC 7636, 7638 and 9449 print.
    package static func rfc(_ name: String) throws -> JSONValue {
        try #require(try fixture("rfc.json")[name])
    }

    /// A document of the real network.
    package static func metadata(_ name: String) throws -> JSONValue {
        try json(shared.appending(path: "vectors/metadata/\(name).json"))
    }

    /// The bytes of a shared file.
    package static func data(_ path: String) throws -> Data {
        try Data(contentsOf: shared.appending(path: "vectors/\(path)"))
    }

    /// The values of a shared text file, one a line, byte for byte: some end in a space.
    package static func lines(_ path: String) throws -> [String] {
        let file = shared.appending(path: "vectors/\(path).txt")
        return try String(contentsOf: file, encoding: .utf8)
            .split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }
    }

    /// An exchange with a recorded server, by the number that its name begins with or by the whole name.
    static func recording(_ name: String, of server: String) throws -> JSONValue {
        let beginnings = ["{\"name\":\"\(name)-", "{\"name\":\"\(name)\""].map { Array($0.utf8) }
        let line = try recordings(of: server).first { line in beginnings.contains(where: line.starts) }
        return try JSONParser.parse(Array(try #require(line, "no recording \(name)")))
    }

    /// The lines of a server. A thousand tests need one, so each file is read once.
    private static func recordings(of server: String) throws -> [ArraySlice<UInt8>] {
        try files.withLock { files in
            if let lines = files[server] { return lines }
            let file = tests.appending(path: "Fixtures/transcripts/\(server).jsonl")
            let lines = Array(try Data(contentsOf: file)).split(separator: UInt8(ascii: "\n"))
            files[server] = lines
            return lines
        }
    }

    private static let files = Mutex<[String: [ArraySlice<UInt8>]]>([:])

    private static func json(_ url: URL) throws -> JSONValue {
        try JSONParser.parse(Array(Data(contentsOf: url)))
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the test where the shared folder is missing. In CI the test fails instead.
    package static var needsVectors: Self {
        .enabled(if: Vectors.arePresent, "../shared is missing")
    }
}
