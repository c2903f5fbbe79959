import ATProto
import Foundation
import HTTPTypes
import JSON
import Networking
import OAuth
import Platform
import Testing

/// Whatever a stranger sends is refused, not trapped on.
///
/// Every suite runs in a process of its own: a trap there is a failed test here, with the seed in its name.
/// `BSKYAUTH_FUZZ_ROUNDS` asks for more than the rounds that fit a test run.
@Suite("Hostile input") struct ParserFuzzTests {
    static let rounds = ProcessInfo.processInfo.environment["BSKYAUTH_FUZZ_ROUNDS"].flatMap(Int.init) ?? 1500

    @Test("JSON, and what is read from it", arguments: [1, 2] as [UInt64]) func json(seed: UInt64) async {
        await #expect(processExitsWith: .success) { [seed, rounds = Self.rounds as Int] in
            let policy = NetworkPolicy()
            let issuer = try Issuer(validating: "https://pds.test", policy: policy)
            let did = try DID(validating: "did:plc:ewvi7nxzyoun6zhxrhs64oiz")
            var mutator = Mutator(seed: seed)
            for _ in 0..<rounds {
                for sample in Samples.json {
                    let bytes = mutator.mutate(sample)
                    guard let json = try? JSONParser.parse(bytes) else { continue }
                    _ = try JSONParser.parse(json.text) == json ? () : Samples.fail("round trip", bytes)
                    _ = json.indentedText
                    _ = try? AuthorizationServerMetadata(json: json, issuer: issuer, policy: policy)
                    _ = try? DIDDocument(json: json, expecting: did, policy: policy)
                    _ = try? TokenResponse(json: json).validate()
                }
            }
        }
    }

    @Test("refusals of servers", arguments: [3, 4] as [UInt64]) func errors(seed: UInt64) async {
        await #expect(processExitsWith: .success) { [seed, rounds = Self.rounds as Int] in
            var mutator = Mutator(seed: seed)
            for _ in 0..<rounds {
                for sample in Samples.errors {
                    let body = mutator.mutate(sample)
                    let header = String(decoding: mutator.mutate(Samples.challenge), as: UTF8.self)
                    var fields: HTTPFields = [.contentType: "application/json"]
                    if HTTPField.isValidValue(header) { fields[.wwwAuthenticate] = header }
                    let error = XRPCError(status: 403, headerFields: fields, body: body)
                    let answer = OAuthErrorResponse(status: 400, headerFields: fields, body: body)
                    for text in [error.message, answer.description].compactMap({ $0 })
                    where text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
                        Samples.fail("control character", body)
                    }
                    _ = WWWAuthenticate(header)
                }
            }
        }
    }

    @Test("redirects, forms and URLs", arguments: [5, 6] as [UInt64]) func redirects(seed: UInt64) async {
        await #expect(processExitsWith: .success) { [seed, rounds = Self.rounds as Int] in
            let issuer = try Issuer(validating: "https://pds.test", policy: NetworkPolicy())
            let state = try State()
            var mutator = Mutator(seed: seed)
            for _ in 0..<rounds {
                let sample = Array("state=\(state.value)&iss=https%3A%2F%2Fpds.test&code=cod-1".utf8)
                let query = String(decoding: mutator.mutate(sample), as: UTF8.self)
                _ = try? AuthorizationResponse(query: query, expectedState: state, issuer: issuer)
                _ = FormParameters(parsing: query)
                for sample in Samples.texts {
                    let text = String(decoding: mutator.mutate(sample), as: UTF8.self)
                    if let url = try? HTTPURL(validating: text) {
                        _ = try HTTPURL(validating: url.description) == url ? () : Samples.fail("URL", [])
                    }
                    _ = try? Issuer(validating: text, policy: NetworkPolicy())
                    _ = try? LoginIdentifier(parsing: text)
                    _ = try? NSID(validating: text)
                    _ = try? PermissionScope(validating: text)
                    _ = try? ServiceReference(validating: text)
                    _ = ShellWords.split(text)
                }
            }
        }
    }

    @Test("DNS answers", arguments: [7, 8] as [UInt64]) func dns(seed: UInt64) async {
        await #expect(processExitsWith: .success) { [seed, rounds = Self.rounds as Int] in
            var mutator = Mutator(seed: seed)
            for _ in 0..<rounds * 4 {
                _ = DNSMessage.textRecords(in: mutator.mutate(Samples.dns))
            }
        }
    }
}
