import Testing

@testable import SandboxNetwork

@Suite("The sandbox answers as the official server was recorded to")
struct OfficialRecordingTests {
    @Test("case by case", arguments: OfficialCases.walks)
    func walked(_ walk: Walk) async throws {
        let (answers, origin) = try await withSandbox { sandbox in
            let stage = Stage(sandbox: sandbox, client: ScriptedClient(sandbox: sandbox))
            return (try await walk.perform(stage), sandbox.origin)
        }
        #expect(answers.keys.sorted() == walk.cases.sorted())
        for (number, answer) in answers {
            let recording = try #require(Recording.official[number])
            compare(answer, recording, origin: origin)
        }
    }

    @Test("every official file is walked or listed, and none twice")
    func complete() {
        let walked = OfficialCases.walks.flatMap { $0.cases }
        let listed = Array(OfficialCases.listed.keys)
        let all = walked + Array(OfficialCases.walkedByPages) + listed
        #expect(Recording.official.count == 197)
        #expect(all.sorted() == Recording.official.keys.sorted())
    }

    private func compare(_ answer: WireAnswer, _ recording: Recording, origin: String) {
        let name = Comment(rawValue: "\(recording.name): \(answer.status) \(answer.text.prefix(300))")
        if let difference = OfficialCases.differences[recording.number] {
            #expect(answer.status == difference.status, name)
            #expect(answer.error == difference.error, name)
            return
        }
        #expect(answer.status == recording.status, name)
        for member in ["error", "error_description", "message", "token_type", "scope"] {
            if recording.number >= 400, recording.status == 200, member == "scope" { continue }
            #expect(answer.json[member]?.string == recording.body[member]?.string, name)
        }
        for header in ["www-authenticate", "content-type"] + Self.sameHeaders {
            if header == "content-type", recording.number == 403 { continue }
            #expect(
                answer.header(header) == recording.header(header),
                Comment(rawValue: "\(recording.name): \(header)"))
        }
        #expect((answer.nonce != nil) == (recording.header("dpop-nonce") != nil), name)
        if recording.number < 100 { compareDocument(answer, recording, origin: origin) }
    }

    /// Headers whose values are the server's own, not those of the proxy in front of it.
    private static let sameHeaders = [
        "cache-control", "pragma", "vary", "access-control-allow-origin", "access-control-allow-methods",
        "access-control-allow-headers", "access-control-expose-headers", "access-control-max-age",
    ]

    private func compareDocument(_ answer: WireAnswer, _ recording: Recording, origin: String) {
        let recorded = recording.json["response"]?["body"]?.string ?? ""
        let translated = recorded.replacing("https://pds.test", with: origin)
        let expected = (try? JSONValue(parsing: Array(translated.utf8))) ?? .null
        switch recording.number {
        case 1, 2, 5:
            #expect(answer.json == expected, Comment(rawValue: recording.name))
        case 3:
            let key = answer.json["keys"]?.array?.first
            #expect(key?.members?.map(\.name) == expected["keys"]?.array?.first?.members?.map(\.name))
            #expect(key?["kty"] == "EC" && key?["crv"] == "P-256" && key?["kid"] == "k1")
        case 4:
            #expect(answer.json["alsoKnownAs"] == ["at://carol.pds.test"])
            #expect(answer.json["service"] == expected["service"])
            #expect(answer.json.members?.map(\.name) == expected.members?.map(\.name))
        default:
            #expect(answer.text.hasPrefix("did:plc:") && answer.text.count == 32)
        }
    }
}
