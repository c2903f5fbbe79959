import Testing

@testable import SandboxNetwork

@Suite("The sandbox answers as the servers were recorded to")
struct RecordingTests {
    @Test(
        "official, case by case",
        .covers(
            "R18", "R20", "R21", "R25", "R26", "R27", "R28", "R29", "R35", "R41", "R42", "R43", "R49", "R50",
            "R51", "R52", "R53", "R54", "R57", "R61", "R64", "R65", "R66b", "R70", "R74", "R75", "R76", "R77",
            "L1", "L2", "L3", "L5", "L6", "L7", "L8", "L10", "S5", "S7", "X12", "12.1", "12.3", "12.4",
            "13.1", "13.2", "13.3", "13.5", "13.6", "13.7", "13.9", "13.11", "G9", "H1", "H3"),
        arguments: RecordedCases.walks(of: .official))
    func official(_ walk: Walk) async throws { try await perform(walk, .official) }

    @Test(
        "cocoon, case by case",
        .covers("12.1", "12.3", "12.4", "12.5", "13.1", "13.3", "13.5", "13.6", "13.10", "C15"),
        arguments: RecordedCases.walks(of: .cocoon))
    func cocoon(_ walk: Walk) async throws { try await perform(walk, .cocoon) }

    @Test(
        "cirrus, case by case",
        .covers("12.1", "12.3", "12.4", "12.5", "13.1", "13.3", "13.5", "13.6", "C15"),
        arguments: RecordedCases.walks(of: .cirrus))
    func cirrus(_ walk: Walk) async throws { try await perform(walk, .cirrus) }

    @Test(
        "every file is walked, and none twice",
        arguments: [("official", 197), ("cocoon", 264), ("cirrus", 156)])
    func complete(server: String, count: Int) throws {
        let profile = try #require(ServerProfile.all.first { $0.name == server })
        let recorded = Set(Recording.all(of: profile).keys)
        let walked = RecordedCases.walks(of: profile).flatMap(\.cases).filter(recorded.contains)
        let byPages = RecordedCases.walkedByPages.intersection(recorded)
        #expect(recorded.count == count)
        #expect((walked + byPages).sorted() == recorded.sorted())
    }

    /// Performs a walk with the clock stopped, because some recordings depend on a single second.
    private func perform(_ walk: Walk, _ profile: ServerProfile) async throws {
        let (answers, origin) = try await withSandbox({
            $0.profile = profile
            if walk.cases.contains(533) { $0.raceWindow = .seconds(5) }
        }) { sandbox in
            _ = try await sandbox.post("/_sandbox/clock", json: ["stop": true])
            var client = ScriptedClient(sandbox: sandbox)
            if profile.clients.port == .exact { client.clientID = ScriptedClient.exactLoopbackID }
            let stage = Stage(sandbox: sandbox, client: client, profile: profile)
            return (try await walk.perform(stage), sandbox.origin)
        }
        #expect(answers.keys.sorted() == walk.cases.sorted())
        for (number, answer) in answers {
            guard let recording = Recording.all(of: profile)[number] else { continue }
            if profile.name == "official" {
                compare(answer, recording, origin: origin)
            } else {
                compareRoughly(answer, recording, profile, origin: origin)
            }
        }
    }

    /// Status, error, challenge and the presence of a nonce.
    private func compareRoughly(
        _ answer: WireAnswer,
        _ recording: Recording,
        _ profile: ServerProfile,
        origin: String
    ) {
        let name = Comment(rawValue: "\(recording.name): \(answer.status) \(answer.text.prefix(300))")
        #expect(answer.status == recording.status, name)
        if let beginning = RecordedCases.sentences(profile)[recording.number]?.beginning {
            #expect(answer.error?.hasPrefix(beginning) == true, name)
            #expect(recording.body["error"]?.string?.hasPrefix(beginning) == true, name)
            return
        }
        for member in ["error", "token_type"] {
            #expect(answer.json[member]?.string == recording.body[member]?.string, name)
        }
        let words = answer.json["error_description"]?.string
        let recordedWords = recording.body["error_description"]?.string
        #expect((words == nil) == (recordedWords == nil), name)
        #expect(words.map { recordedWords?.hasPrefix($0) == true } != false, name)
        if recording.number >= 100 {
            #expect((answer.nonce != nil) == (recording.header("dpop-nonce") != nil), name)
            #expect(answer.header("www-authenticate") == recording.header("www-authenticate"), name)
        } else if recording.number <= 2 {
            let recorded = recording.json["response"]?["body"]?.string ?? ""
            let expected = recorded.replacing(profile.recordedOrigin, with: origin)
            #expect(answer.json == (try? JSONValue(parsing: Array(expected.utf8))), name)
        }
    }

    private func compare(_ answer: WireAnswer, _ recording: Recording, origin: String) {
        let name = Comment(rawValue: "\(recording.name): \(answer.status) \(answer.text.prefix(300))")
        if let difference = RecordedCases.officialDifferences[recording.number] {
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
                answer.header(header) == recording.header(header).map(Self.withTheSandboxsAlgorithms),
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

    /// The text with the algorithms that the sandbox takes in place of the reference server's.
    private static func withTheSandboxsAlgorithms(_ text: String) -> String {
        let recorded = [
            "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES256K", "ES384", "ES512",
        ]
        return text.replacing(recorded.joined(separator: " "), with: "ES256")
            .replacing("\"" + recorded.joined(separator: "\",\"") + "\"", with: "\"ES256\"")
    }

    private func compareDocument(_ answer: WireAnswer, _ recording: Recording, origin: String) {
        let recorded = recording.json["response"]?["body"]?.string ?? ""
        let translated = Self.withTheSandboxsAlgorithms(recorded.replacing("https://pds.test", with: origin))
        let expected = (try? JSONValue(parsing: Array(translated.utf8))) ?? .null
        switch recording.number {
        case 1, 2, 5:
            #expect(answer.json == expected, Comment(rawValue: recording.name))
        case 3:
            // The recording's wrapper has a key of its own. The PDS signs with a secret and publishes none.
            #expect(answer.json == ["keys": []])
        case 4:
            #expect(answer.json["alsoKnownAs"] == ["at://carol.pds.test"])
            #expect(answer.json["service"] == expected["service"])
            #expect(answer.json.members?.map(\.name) == expected.members?.map(\.name))
        default:
            #expect(answer.text.hasPrefix("did:plc:") && answer.text.count == 32)
        }
    }
}
