import ATPNetworking
import ATProtoIdentity
import BskyAuthCovers
import BskyAuthTestSupport
import Testing

@Suite("Identifiers") struct IdentifierTests {
    @Test("Handle takes the valid vectors and lower-cases them", .covers("R2", "F15"), .needsVectors)
    func validHandles() throws {
        let values = try Vectors.lines("syntax/handle_syntax_valid")
        #expect(values.count == 71)
        for value in values {
            #expect(try Handle(validating: value).description == value.lowercased(), "\(value)")
        }
    }

    @Test("Handle refuses the invalid vectors", .covers("R2"), .needsVectors)
    func invalidHandles() throws {
        let values = try Vectors.lines("syntax/handle_syntax_invalid")
        #expect(values.count == 48)
        for value in values {
            #expect(throws: InvalidHandle.self, "\(value)") { try Handle(validating: value) }
        }
    }

    @Test(
        "DID takes the valid vectors or says that their method is not supported", .covers("F15"),
        .needsVectors)
    func validDIDs() throws {
        let values = try Vectors.lines("syntax/did_syntax_valid")
        #expect(values.count == 24)
        var supported: [String] = []
        for value in values {
            do throws(InvalidDID) {
                supported.append(try DID(validating: value).description)
            } catch {
                guard case .unsupportedMethod = error.reason else {
                    Issue.record("\(value): \(error.reason)")
                    continue
                }
            }
        }
        #expect(
            supported == [
                "did:plc:7iza6de2dwap2sbkpav7c6c6", "did:web:example.com", "did:web:localhost%3A1234",
            ])
    }

    @Test("DID refuses the invalid vectors for their syntax", .needsVectors)
    func invalidDIDs() throws {
        let values = try Vectors.lines("syntax/did_syntax_invalid")
        #expect(values.count == 18)
        for value in values {
            let error = #expect(throws: InvalidDID.self, "\(value)") { try DID(validating: value) }
            #expect(error?.reason == .syntax || error?.reason == .tooLong, "\(value)")
        }
    }

    @Test("NSID takes the valid vectors", .covers("X1", "F15"), .needsVectors)
    func validNSIDs() throws {
        let values = try Vectors.lines("syntax/nsid_syntax_valid")
        #expect(values.count == 25)
        for value in values { #expect(try NSID(validating: value).description == value) }
    }

    @Test("NSID refuses the invalid vectors", .needsVectors)
    func invalidNSIDs() throws {
        let values = try Vectors.lines("syntax/nsid_syntax_invalid")
        #expect(values.count == 27)
        for value in values {
            #expect(throws: InvalidNSID.self, "\(value)") { try NSID(validating: value) }
        }
    }

    @Test("an identifier is a handle or a DID, and every other vector is neither", .needsVectors)
    func identifiers() throws {
        for value in try Vectors.lines("syntax/handle_syntax_valid") {
            #expect(try ATIdentifier(validating: value) == .handle(Handle(validating: value)))
        }
        for name in ["handle_syntax_invalid", "did_syntax_invalid"] {
            // A text that looks like a broken DID may be a handle, such as `did.method.val`.
            for value in try Vectors.lines("syntax/\(name)") where (try? Handle(validating: value)) == nil {
                #expect(throws: InvalidATIdentifier.self, "\(value)") { try ATIdentifier(validating: value) }
            }
        }
    }

    @Test("NSID keeps the case of the name and lowers that of the authority")
    func caseOfNSID() throws {
        let nsid = try NSID(validating: "Com.ATProto.repo.getRecord")
        #expect(nsid.description == "com.atproto.repo.getRecord")
        #expect(nsid.authority == "com.atproto.repo")
        #expect(nsid.name == "getRecord")
    }

    @Test(
        "a DID keeps its case", .covers("R13"),
        arguments: ["did:web:Example.com", "did:plc:7iza6de2dwap2sbkpav7c6c6"])
    func caseOfDID(_ text: String) throws {
        #expect(try DID(validating: text).description == text)
    }

    @Test(
        "DID tells what is wrong", .covers("R13", "R14", "R15"),
        arguments: [
            ("did:key:zQ3shZc2QzApp2oymGvQbzP8eKheVshBHbU4ZYjeXqwSKEn6N", .unsupportedMethod("key")),
            ("did:web:example.com:user:alice", .webPath),
            ("did:web:example.com%2Fuser", .webHost),
            ("did:web:127.0.0.1", .webHost),
            ("did:web:localhost%3A0", .webHost),
            ("did:web:localhost%3A65536", .webHost),
            ("did:web:intranet", .webHost),
            ("did:plc:7IZA6DE2DWAP2SBKPAV7C6C6", .plcIdentifier),
            ("did:plc:7iza6de2dwap2sbkpav7c6c61", .plcIdentifier),
            ("did:plc:7iza6de2dwap2sbkpav7c6c1", .plcIdentifier),
            ("DID:plc:7iza6de2dwap2sbkpav7c6c6", .syntax),
            ("did:plc:", .syntax),
        ] as [(String, InvalidDID.Reason)])
    func refusedDIDs(_ text: String, _ reason: InvalidDID.Reason) {
        #expect(throws: InvalidDID(reason)) { try DID(validating: text) }
    }

    @Test("did:web names a host and, for localhost, a port", .covers("R15", "D3"))
    func webDID() throws {
        #expect(try DID(validating: "did:web:example.com").method == .web(host: "example.com", port: nil))
        #expect(try DID(validating: "did:web:localhost%3a2583").method == .web(host: "localhost", port: 2583))
    }

    @Test(
        "reserved top-level domains are reserved, test only off the dev network", .covers("R3"),
        arguments: [
            "alt", "arpa", "example", "internal", "invalid", "local", "localhost", "onion", "test", "com",
        ])
    func reservedNames(_ domain: String) throws {
        let handle = try Handle(validating: "alice.\(domain)")
        #expect(handle.isReserved(onDevNetwork: false) == (domain != "com"))
        #expect(handle.isReserved(onDevNetwork: true) == (domain != "com" && domain != "test"))
    }

    @Test(
        "LoginIdentifier reads what people paste", .covers("R1", "R2", "C5"),
        arguments: [
            ("alice.example.com", "alice.example.com"),
            ("@Alice.Example.com", "alice.example.com"),
            ("  at://alice.example.com\n", "alice.example.com"),
            ("AT://alice.example.com", "alice.example.com"),
            ("\u{202a}@alice.example.com\u{202c}", "alice.example.com"),
            ("at://did:plc:7iza6de2dwap2sbkpav7c6c6", "did:plc:7iza6de2dwap2sbkpav7c6c6"),
            ("https://PDS.example.com/", "https://pds.example.com"),
            ("https://bsky.app/profile/alice.example.com", "alice.example.com"),
            ("https://bsky.app/profile/did:web:example.com/post/3l6oveex3ii2l", "did:web:example.com"),
            ("http://localhost:2583", "http://localhost:2583"),
        ])
    func loginIdentifiers(_ text: String, _ meaning: String) throws {
        #expect(try LoginIdentifier(parsing: text).description == meaning)
    }

    @Test(
        "LoginIdentifier refuses the rest", .covers("R2"),
        arguments: [
            ("", .empty), (" \u{feff} ", .empty),
            ("alice.example.com.", .account(.handle(InvalidHandle(.label)))),
            ("alice", .account(.handle(InvalidHandle(.singleLabel)))),
            ("@@alice.example.com", .account(.handle(InvalidHandle(.character)))),
            ("alice@example.com", .account(.handle(InvalidHandle(.character)))),
            ("did:key:abc", .account(.did(InvalidDID(.unsupportedMethod("key"))))),
            ("https://bsky.app/settings", .notAnOrigin),
            ("https://user@pds.example.com", .url(InvalidURL(.userInformation))),
        ] as [(String, InvalidLoginIdentifier)])
    func refusedLoginIdentifiers(_ text: String, _ error: InvalidLoginIdentifier) {
        #expect(throws: error) { try LoginIdentifier(parsing: text) }
    }

    @Test("a service is a DID and a name", .covers("X8", "F13"))
    func serviceReferences() throws {
        let text = "did:web:api.bsky.app#bsky_appview"
        #expect(try ServiceReference(validating: text).description == text)
        for text in ["did:web:api.bsky.app", "did:web:a.b#", "#x", "did:web:a.b#x#y", "did:web:a.b#x y"] {
            #expect(throws: InvalidServiceReference.self, "\(text)") {
                try ServiceReference(validating: text)
            }
        }
    }
}
