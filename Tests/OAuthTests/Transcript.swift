import Foundation
import HTTPTypes
import JSON
import Networking
import Testing

/// What is kept with the tests and was written by others.
enum Fixture {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../Fixtures").standardizedFileURL

    /// The numbers that RFC 7636, 7638 and 9449 print.
    static func rfc(_ name: String) throws -> JSONValue {
        let bytes = try Data(contentsOf: folder.appending(path: "rfc.json"))
        return try #require(try JSONParser.parse(Array(bytes))[name])
    }
}

/// A recorded exchange with the official server.
struct Transcript {
    let json: JSONValue

    /// The one whose name begins with a number.
    init(_ number: Int) throws {
        try self.init("\(number)")
    }

    init(_ number: String) throws {
        let folder = Fixture.folder.appending(path: "transcripts/official")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let name = try #require(names.first { $0.hasPrefix("\(number)-") }, "no recording \(number)")
        json = try JSONParser.parse(Array(Data(contentsOf: folder.appending(path: name))))
    }

    var answer: ScriptedTransport.Answer {
        get throws {
            let status = try #require(json["response"]?["status"]?.integer)
            var fields: HTTPFields = [:]
            for member in json["response"]?["headers"]?.object?.members ?? [] {
                fields[try #require(HTTPField.Name(member.name))] = member.value.string
            }
            return .response(Int(status), fields, Array((json["response"]?["body"]?.string ?? "").utf8))
        }
    }

    /// The body of the answer.
    var body: JSONValue? { (json["response"]?["body"]?.string).flatMap { try? JSONParser.parse($0) } }
    /// The nonce that came with the answer.
    var supplied: String? { json["response"]?["headers"]?["dpop-nonce"]?.string }
    /// What the recorded client sent.
    var form: FormParameters? { (json["request"]?["body"]?.string).flatMap { FormParameters(parsing: $0) } }
    /// The query of the redirect.
    var redirectQuery: String? {
        json["redirect"]?.string.flatMap { $0.split(separator: "?").dropFirst().first.map(String.init) }
    }

    /// The server's time.
    var date: Date {
        get throws {
            let formatter = DateFormatter()
            formatter.locale = Locale(identifier: "en_US_POSIX")
            formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
            let text = try #require(json["response"]?["headers"]?["date"]?.string)
            return try #require(formatter.date(from: text))
        }
    }
}
