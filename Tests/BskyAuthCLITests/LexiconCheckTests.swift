import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoXRPC
import ArgumentParser
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import Testing

@testable import BskyAuthCLI

@Suite("LexiconCheck") struct LexiconCheckTests {
    private typealias Lexicon = (name: String, types: [(name: String, type: String)], required: Set<String>)

    /// The queries of the public lexicons with their parameters, from the file that the table is made of.
    private func queries() throws -> [Lexicon] {
        try Vectors.methods().filter { $0.value["type"] == "query" }.map { method in
            let types = (method.value["params"]?.object?.members ?? []).map {
                ($0.name, $0.value.string ?? "")
            }
            return (method.name, types, Set(method.value["required"]?.strings ?? []))
        }
    }

    private func check(_ name: String, _ parameters: FormParameters) throws -> LexiconCheck {
        LexiconCheck(XRPCRequest(.query, try NSID(validating: name), parameters: parameters))
    }

    private func value(of type: String) -> String {
        switch type.replacing("array:", with: "") {
        case "integer": "5"
        case "boolean": "true"
        default: "text"
        }
    }

    /// The parameters that a query needs, each with a value of its type.
    private func valid(_ query: Lexicon) -> FormParameters {
        var parameters = FormParameters()
        for (name, type) in query.types where query.required.contains(name) {
            parameters.append(name, value(of: type))
        }
        return parameters
    }

    @Test("lets pass the calls that servers have carried out, and none of them is doubted")
    func recorded() throws {
        var count = 0
        for recording in try Lexicons.recordings() {
            guard let url = recording["request"]?["url"]?.string.flatMap({ URLComponents(string: $0) }),
                url.path.hasPrefix("/xrpc/"), recording["response"]?["status"]?.integer == 200
            else { continue }
            let parameters = try #require(FormParameters(parsing: url.percentEncodedQuery ?? ""))
            let isQuery = recording["request"]?["method"]?.string == "GET"
            let nsid = try NSID(validating: String(url.path.dropFirst(6)))
            let check = LexiconCheck(XRPCRequest(isQuery ? .query : .procedure, nsid, parameters: parameters))
            #expect(check.refusal == nil && check.doubts.isEmpty, "\(url)")
            count += 1
        }
        #expect(count > 80)
    }

    @Test("lets pass every query with what it needs and with all it takes, an array twice")
    func valid() throws {
        for query in try queries() {
            var all = FormParameters()
            for (name, type) in query.types {
                for _ in 0..<(type.hasPrefix("array:") ? 2 : 1) { all.append(name, value(of: type)) }
            }
            for parameters in [valid(query), all] {
                let check = try check(query.name, parameters)
                #expect(check.refusal == nil && check.doubts.isEmpty, "\(query.name) \(parameters.encoded)")
            }
        }
    }

    @Test("names what is wrong with each of 1,000 wrong calls of the 177 queries")
    func wrong() throws {
        let queries = try queries()
        #expect(queries.count == 177)
        var wrong: [(query: String, parameters: FormParameters, name: String, code: String)] = []
        for query in queries {
            let valid = valid(query)
            for (name, type) in query.types {
                let others = FormParameters(valid.all.filter { $0.name != name })
                if query.required.contains(name) {
                    wrong.append((query.name, others, name, "missing_parameter"))
                }
                let texts =
                    switch type.replacing("array:", with: "") {
                    case "integer":
                        ["", "five", "5.0", "1e3", "0x5", " 5", "99999999999999999999", "true", "٥"]
                    case "boolean": ["", "yes", "1", "True", "null"]
                    default: [String]()
                    }
                for text in texts {
                    var parameters = others
                    parameters.append(name, text)
                    wrong.append((query.name, parameters, name, "wrong_parameter"))
                }
                guard !type.hasPrefix("array:") else { continue }
                var twice = others
                for _ in 0..<2 { twice.append(name, value(of: type)) }
                wrong.append((query.name, twice, name, "wrong_parameter"))
            }
        }
        #expect(wrong.count >= 1000)
        for (query, parameters, name, code) in wrong {
            let refusal = try #require(try check(query, parameters).refusal, "\(query) \(parameters.encoded)")
            #expect(refusal.status == .usage && refusal.code == code, "\(query) \(parameters.encoded)")
            #expect(refusal.message.contains("\"\(name)\""), "\(query): \(refusal.message)")
            let hint = try #require(refusal.hint)
            // An address can name what is missing beside the collection.
            let isAddress = name == "repo" && hint.hasPrefix("bskyauth call \(query) at://HANDLE/text")
            let correction = "correct it (bskyauth help \(query)), or add --no-check to send it anyway"
            #expect(isAddress || hint == correction, "\(hint)")
        }
    }

    @Test("sends 100 calls with a parameter that a newer lexicon could have, and doubts each")
    func newer() throws {
        let names = ["moodFilter", "sortedBy", "includeMutuals", "limt"]
        var count = 0
        for (index, query) in try queries().prefix(100).enumerated() {
            let name = names[index % names.count]
            var parameters = valid(query)
            parameters.append(name, "x")
            let check = try check(query.name, parameters)
            #expect(check.refusal == nil, "\(query.name)")
            #expect(check.doubts.count == 1 && check.hint == check.doubts.first)
            #expect(
                check.doubts.first?.contains("has no parameter \"\(name)\" in the lexicons of August 2026")
                    == true)
            count += 1
        }
        #expect(count == 100)
    }

    @Test("asks whether the nearest was meant, in one sentence for each name")
    func words() throws {
        let one = try check("app.bsky.feed.getTimeline", ["limt": "5", "limt": "6", "x\u{1b}": "y"])
        #expect(
            one.doubts == [
                "getTimeline has no parameter \"limt\" in the lexicons of August 2026; did you mean \"limit\"?",
                "getTimeline has no parameter \"x\u{fffd}\" in the lexicons of August 2026",
            ])
        let method = try check("app.bsky.feed.getTimelin", ["limit": "x"])
        #expect(
            method.doubts == [
                "the lexicons of August 2026 have no method app.bsky.feed.getTimelin; did you mean app.bsky.feed.getTimeline?"
            ])
        #expect(method.refusal == nil && method.hint == nil)
        #expect(
            try check("com.atproto.repo.getRecord", [:]).refusal?.message
                == "getRecord needs the parameters \"repo\", \"collection\" and \"rkey\"")
    }

    @Test("looks at the parameters of a procedure in the URL, and not at its body")
    func procedures() throws {
        func check(_ parameters: FormParameters) throws -> LexiconCheck {
            LexiconCheck(
                XRPCRequest(
                    .procedure, try NSID(validating: "app.bsky.video.uploadPart"), parameters: parameters,
                    body: .bytes([1])))
        }
        #expect(try check(["jobId": "a", "partNumber": "1"]).refusal == nil)
        #expect(try check(["jobId": "a"]).refusal?.message.contains("\"partNumber\"") == true)
        let write = XRPCRequest(
            .procedure, try NSID(validating: "com.atproto.repo.deleteRecord"), body: .bytes(Array("{}".utf8)))
        #expect(LexiconCheck(write).refusal == nil && LexiconCheck(write).doubts.isEmpty)
    }

    @Test(
        "has nothing to say of methods of others, of other services, and of another kind of method",
        arguments: [
            ["com.example.feed.getTimeline", "limt=5"], ["app.bsky.actor.getProfile", "-X", "procedure"],
            ["app.bsky.actor.getProfile", "--proxy", "did:web:a.example.com#bsky_fg"],
            ["app.bsky.actor.getProfile", "atproto-proxy:did:web:a.example.com#bsky_fg"],
            ["app.bsky.feed.getTimelin", "-H", "atproto-proxy:did:web:a.example.com#bsky_fg"],
        ])
    func others(arguments: [String]) throws {
        let check = LexiconCheck(try request(arguments))
        #expect(check.refusal == nil && check.doubts.isEmpty && check.hint == nil)
    }

    @Test(
        "is made for the AppView and the chat too, however they are named",
        arguments: [
            ["--appview"], ["--chat"], ["--proxy", "did:web:api.bsky.app#bsky_appview"],
            ["atproto-proxy:did:web:api.bsky.chat#bsky_chat"],
        ])
    func services(arguments: [String]) throws {
        #expect(LexiconCheck(try request(["app.bsky.actor.getProfile"] + arguments)).refusal != nil)
    }

    private func request(_ arguments: [String]) throws -> XRPCRequest {
        try #require(try BskyAuth.parseAsRoot(["call"] + arguments) as? CallCommand).request(owner: nil)
    }
}

extension FormParameters {
    fileprivate init(_ parameters: [Parameter]) {
        self.init()
        for parameter in parameters { append(parameter.name, parameter.value) }
    }
}
