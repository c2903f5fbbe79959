import ATPJSON
import ATProtoIdentity
import ATProtoLexicons
import BskyAuthTestSupport
import Testing

@Suite("CompiledLexicons") struct CompiledLexiconsTests {
    @Test("have every document of the edition, as it is there")
    func documents() throws {
        let documents = try Vectors.lexicons()
        #expect(documents.count == 402)
        for document in documents {
            let nsid = try NSID(validating: document.name)
            let json = try #require(CompiledLexicons.json(nsid), "\(nsid)")
            #expect(JSONValue.object(json) == document.value, "\(nsid)")
            let read = try #require(CompiledLexicons.document(nsid), "\(nsid)")
            #expect(read == (try LexiconDocument(validating: try #require(document.value.object))), "\(nsid)")
            #expect(
                read.nsid == nsid && read.definitions.count == document.value["defs"]?.object?.members.count)
        }
    }

    @Test("name the kind of each document")
    func kinds() throws {
        for document in try Vectors.lexicons() {
            let expected: CompiledLexicons.Mark? =
                switch document.value["defs"]?["main"]?["type"]?.string {
                case "query": .query
                case "procedure": .procedure
                case "subscription": .subscription
                case "record": .record
                case "permission-set": .permissionSet
                default: nil
                }
            #expect(
                CompiledLexicons.mark(of: try NSID(validating: document.name)) == expected, "\(document.name)"
            )
        }
        #expect(CompiledLexicons.methods.count == 319)
        #expect(CompiledLexicons.methods.lazy.filter(\.isQuery).count == 177)
    }

    @Test("know nothing of the types that this version does not know")
    func types() throws {
        func others(_ type: LexiconType) -> [String] {
            switch type {
            case .other(let name): [name]
            case .array(let element, _): others(element)
            case .object(let object): object.members.flatMap { others($0.type) }
            default: []
            }
        }
        for document in try Vectors.lexicons() {
            let read = try #require(CompiledLexicons.document(try NSID(validating: document.name)))
            for definition in read.definitions.values {
                switch definition {
                case .type(let type): #expect(others(type) == [], "\(document.name)")
                case .record(let record): #expect(others(.object(record.object)) == [], "\(document.name)")
                case .method(let method):
                    let types = [method.input?.schema, method.output?.schema, method.message].compactMap {
                        $0
                    }
                    #expect((types + [.object(method.parameters)]).flatMap(others) == [], "\(document.name)")
                case .permissionSet(let set): #expect(set.title != nil, "\(document.name)")
                }
            }
        }
    }

    @Test("have no other document")
    func unknown() throws {
        for name in [
            "app.bsky.feed.getTimelin", "app.bsky.feed.getTimelines", "app.bsky.getTimeline",
            "com.example.feed.post",
            "app.bsky.feed.get", "sh.tangled.repo.tree",
        ] {
            let nsid = try NSID(validating: name)
            #expect(
                CompiledLexicons.document(nsid) == nil && CompiledLexicons.mark(of: nsid) == nil, "\(name)")
            #expect(
                CompiledLexicons.head(of: nsid) == nil && CompiledLexicons.output(of: nsid) == nil, "\(name)")
        }
    }

    @Test("are owned by four domains, which others can't join by their names")
    func owners() throws {
        for name in [
            "app.bsky.authFullApp", "chat.bsky.convo.getLog", "com.atproto.repo.x", "tools.ozone.a.b.c",
        ] {
            #expect(CompiledLexicons.isOwned(try NSID(validating: name)), "\(name)")
        }
        for name in [
            "app.bskyx.feed.post", "site.standard.document", "com.germnetwork.declaration", "app.bsk.feed.y",
        ] {
            #expect(!CompiledLexicons.isOwned(try NSID(validating: name)), "\(name)")
        }
    }
}
