import ATPJSON
import ATPNetworking
import ATProtoIdentity
import ATProtoXRPC
import BskyAuthTestSupport
import Foundation
import Testing

@testable import BskyAuthCLI

/// The recorded requests.
enum Lexicons {
    private static let fixtures = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent()
        .appending(path: "Fixtures")

    /// What was sent to real servers, with what they answered.
    static func recordings() throws -> [JSONValue] {
        try ["official", "cocoon", "cirrus", "millipds"].flatMap { server in
            let file = fixtures.appending(path: "transcripts/\(server).jsonl")
            return try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
                .map { try JSONParser.parse(String($0)) }
        }
    }
}

@Suite("PublicMethods") struct PublicMethodsTests {
    @Test("are those of the lexicons, and no other")
    func lexicons() throws {
        let names = try Vectors.methods().map(\.name)
        #expect(names.count > 300)
        #expect(PublicMethods.names == names.sorted())
    }

    @Test("have the kind, the parameters, the media types and the pages of the lexicons")
    func details() throws {
        for (name, lexicon) in try Vectors.methods().map({ ($0.name, $0.value) }) {
            let method = try #require(PublicMethods.method(try NSID(validating: name)), "\(name)")
            #expect(method.nsid.description == name)
            #expect((method.kind == .query ? "query" : "procedure") == lexicon["type"]?.string, "\(name)")
            let parameters = method.parameters.map { ($0.isArray ? "array:" : "") + "\($0.kind)" }
            #expect(method.parameters.map(\.name) == lexicon["params"]?.object?.members.map(\.name) ?? [])
            #expect(
                parameters == lexicon["params"]?.object?.members.compactMap(\.value.string) ?? [], "\(name)")
            let required = method.parameters.filter(\.isRequired).map(\.name)
            #expect(Set(required) == Set(lexicon["required"]?.strings ?? []), "\(name)")
            #expect(method.input == lexicon["input"]?.string && method.output == lexicon["output"]?.string)
            #expect(method.lists == lexicon["paged"]?.strings ?? [], "\(name)")
        }
    }

    @Test(
        "are found by their whole name alone",
        arguments: [
            "app.bsky.feed.get", "app.bsky.feed.getTimelines", "app.bsky.feed.getTimelin",
            "app.bsky.getTimeline",
            "com.example.feed.getTimeline", "app.bsky.actor.q",
        ])
    func others(name: String) throws {
        #expect(PublicMethods.method(try NSID(validating: name)) == nil)
    }

    @Test(
        "are asked for by the names that are most like them",
        arguments: [
            ("app.bsky.feed.getTimelin", "app.bsky.feed.getTimeline"),
            ("app.bsky.feed.gettimeline", "app.bsky.feed.getTimeline"),
            ("app.bsky.feed.timeline", "app.bsky.feed.getTimeline"),
            ("app.bsky.getTimeline", "app.bsky.feed.getTimeline"),
            ("app.bsk.feed.getTimeline", "app.bsky.feed.getTimeline"),
            ("com.atproto.server.getRecord", "com.atproto.repo.getRecord"),
            // What is kept in a space is not public.
            ("com.atproto.space.getRecord", nil), ("com.atproto.simplespace.createRecord", nil),
            ("com.example.server.getSession", nil), ("com.example.feed.getTimeline", nil),
            ("app.bsky.unheard.ofThing", nil), ("xyz.statusphere.status.getStatus", nil),
        ])
    func nearest(name: String, method: String?) throws {
        #expect(PublicMethods.nearest(to: try NSID(validating: name)) == method)
    }

    @Test("are meant by their last part, which several can have")
    func ending() {
        #expect(PublicMethods.methods(endingIn: "gettimeline") == ["app.bsky.feed.getTimeline"])
        let records = PublicMethods.methods(endingIn: "getRecord")
        #expect(records.contains("com.atproto.repo.getRecord") && records.count > 1)
        for name in ["getNothing", "", "Timeline"] { #expect(PublicMethods.methods(endingIn: name).isEmpty) }
    }

    // MARK: Help

    @Test("have help with everything that the lexicons say")
    func help() throws {
        func help(_ name: String) throws -> String {
            try #require(PublicMethods.method(try NSID(validating: name))).help(
                from: " in the lexicons of August 2026")
        }
        #expect(
            try help("app.bsky.feed.getTimeline") == """
                app.bsky.feed.getTimeline is a query in the lexicons of August 2026.

                PARAMETERS:
                  algorithm  string
                  limit      integer
                  cursor     string

                RESPONSE: application/json, in pages of "feed" (--paginate, --items)

                EXAMPLE:
                  bskyauth call app.bsky.feed.getTimeline limit=5
                """)
        #expect(
            try help("app.bsky.video.uploadPart") == """
                app.bsky.video.uploadPart is a procedure in the lexicons of August 2026.

                PARAMETERS:
                  jobId       string   required
                  partNumber  integer  required

                BODY: application/octet-stream

                RESPONSE: application/json

                EXAMPLE:
                  bskyauth call app.bsky.video.uploadPart jobId==JOBID partNumber==5 --input part.bin
                """)
        #expect(try help("app.bsky.actor.getProfiles").contains("  actors  strings, repeatable  required\n"))
        #expect(try help("com.atproto.server.activateAccount").contains("\nRESPONSE: none\n"))
        #expect(try help("com.atproto.repo.uploadBlob").contains("\nBODY: any media type\n"))
        let create = try help("com.atproto.repo.createRecord")
        #expect(create.contains("\nBODY: application/json, from items or with --input\n"), "\(create)")
        #expect(create.hasSuffix(" collection=app.bsky.feed.post 'record[text]=hello'"), "\(create)")
        #expect(
            try help("chat.bsky.convo.getMessages").contains(
                #"in pages of "messages" and "relatedProfiles" (--paginate)"#))
    }

    @Test("a document that only defines types is shown with them, and a type alone") func types() throws {
        func help(_ word: String) throws -> String { try HelpCommand.text(about: [word]) }
        #expect(
            try help("com.atproto.repo.strongRef") == """
                com.atproto.repo.strongRef is a type in the lexicons of August 2026.

                MEMBERS:
                  uri  required  text, at-uri
                  cid  required  text, cid
                """)
        let images = try help("app.bsky.embed.images")
        #expect(
            images.hasPrefix(
                """
                app.bsky.embed.images defines types in the lexicons of August 2026.

                app.bsky.embed.images:
                  images  required  list of app.bsky.embed.images#image, at most 4

                app.bsky.embed.images#image:
                  image        required  file of image/*, at most 2000000 bytes
                  alt          required  text
                  aspectRatio            app.bsky.embed.defs#aspectRatio

                app.bsky.embed.images#view:

                """), "\(images)")
        #expect(
            try help("app.bsky.richtext.facet#tag") == """
                app.bsky.richtext.facet#tag is a type in the lexicons of August 2026.

                MEMBERS:
                  tag  required  text, at most 64 characters
                """)
        #expect(try help("app.bsky.graph.defs#modlist").hasSuffix("\n\nTYPE:\n  name"))
        // What a collection defines beside its record.
        #expect(
            try help("app.bsky.feed.post#replyRef").contains("root    required  com.atproto.repo.strongRef"))
        for unknown in ["app.bsky.embed.image", "app.bsky.richtext.facet#tga", "app.bsky.richtext.facet#"] {
            #expect(throws: Failure.self) { try help(unknown) }
        }
    }

    @Test("show an example of a record whose members are objects of text") func nestedExample() throws {
        let help = try HelpCommand.text(about: ["app.bsky.feed.like"])
        #expect(
            help.hasSuffix(
                "\n  bskyauth call com.atproto.repo.createRecord collection=app.bsky.feed.like "
                    + "'record[subject][uri]=at://…' 'record[subject][cid]=…'"), "\(help)")
        #expect(
            try HelpCommand.text(about: ["app.bsky.feed.post"]).hasSuffix(
                "collection=app.bsky.feed.post 'record[text]=…'"))
    }

    @Test("have an example that runs as it is printed, and that passes the check")
    func examples() throws {
        for name in PublicMethods.names {
            let method = try #require(PublicMethods.method(try NSID(validating: name)))
            // A shell would see the words as they are, but for quotation marks around a whole word.
            let words = method.example.split(separator: " ").map { word in
                word.hasPrefix("'") && word.hasSuffix("'")
                    ? String(word.dropFirst().dropLast()) : String(word)
            }
            #expect(words.first == "bskyauth" && !words.joined().contains("'"), "\(method.example)")
            let command = try #require(try NamedCommand.parse(Array(words.dropFirst())) as? CallCommand)
            #expect(command.nsid == name && command.input.map { $0.contains(".") } != false)
            var whole = command
            whole.input = nil
            if command.input != nil, method.kind == .procedure {
                // The file of the example is not here. Its items are parameters of the URL.
                #expect(command.items.allSatisfy { $0.contains("==") })
            }
            var request = try whole.request(owner: nil)
            if case .bytes(let bytes) = request.body, WriteDefaults.apply(to: method.nsid) {
                // What a call with an account fills in.
                let defaults = WriteDefaults(repo: try DID(validating: "did:web:alice.example.com")) {
                    "2026-01-02T03:04:05Z"
                }
                let body = defaults.complete(try JSONParser.parse(bytes).object, of: method.nsid).body
                request.body = .bytes(Array(JSONValue.object(body).text.utf8))
            }
            let check = LexiconCheck(request)
            #expect(check.refusal == nil && check.doubts.isEmpty, "\(method.example)")
            #expect(try whole.request(owner: nil).method == method.kind, "\(method.example)")
        }
    }
}
