package import ATPJSON
package import ATPNetworking
package import Foundation
import HTTPTypes
import Testing

/// A recorded exchange with a real server.
package struct Transcript: Sendable {
    package let json: JSONValue

    /// An exchange with the official server.
    ///
    /// - Parameter name: the number that the name begins with, or the whole name.
    package init(_ name: String) throws {
        json = try Vectors.recording(name, of: "official")
    }

    package init(_ number: Int) throws {
        try self.init("\(number)")
    }

    /// An exchange with any server.
    package init(_ number: String, of server: String) throws {
        json = try Vectors.recording(number, of: server)
    }

    package var answer: ScriptedTransport.Answer {
        get throws { try answer(isDated: true) }
    }

    /// The answer without its date, so that the client does not adopt the clock of the recording.
    ///
    /// - Parameter edit: changes the body.
    package func undatedAnswer(
        editing edit: (String) -> String = { $0 }
    ) throws -> ScriptedTransport.Answer {
        try answer(isDated: false, editing: edit)
    }

    /// An answer of the reference server, moved to `pds.example.com` and the handle `alice.example.com`,
    /// since names under `.test` are refused on a real network.
    package static func answer(_ name: String) throws -> ScriptedTransport.Answer {
        try Transcript(name).undatedAnswer { body in
            body.replacing("carol.pds.test", with: "alice.example.com")
                .replacing("pds.test", with: "pds.example.com")
        }
    }

    private func answer(
        isDated: Bool, editing edit: (String) -> String = { $0 }
    ) throws -> ScriptedTransport.Answer {
        let response = try #require(json["response"])
        let status = try #require(response["status"]?.integer)
        var fields: HTTPFields = [:]
        for member in response["headers"]?.object?.members ?? [] where isDated || member.name != "date" {
            let name = try #require(HTTPField.Name(member.name))
            for value in member.value.strings ?? [member.value.string ?? ""] {
                fields.append(HTTPField(name: name, value: value))
            }
        }
        return .response(Int(status), fields, Array(edit(response["body"]?.string ?? "").utf8))
    }

    /// The body of the answer.
    package var body: JSONValue? { (json["response"]?["body"]?.string).flatMap { try? JSONParser.parse($0) } }
    /// The nonce that came with the answer.
    package var nonce: String? { json["response"]?["headers"]?["dpop-nonce"]?.string }
    /// The form that the recorded client sent.
    package var form: FormParameters? {
        (json["request"]?["body"]?.string).flatMap { FormParameters(parsing: $0) }
    }
    /// The query of the redirect.
    package var redirectQuery: String? {
        json["redirect"]?.string.flatMap { $0.split(separator: "?").dropFirst().first.map(String.init) }
    }

    /// The server's time.
    package var date: Date {
        get throws {
            let text = try #require(json["response"]?["headers"]?["date"]?.string)
            return Date(timeIntervalSince1970: Double(try #require(HTTPDate.seconds(in: text))))
        }
    }
}
