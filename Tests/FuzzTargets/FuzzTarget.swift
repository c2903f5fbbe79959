internal import ATPJSON
internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoLexicons
internal import ATProtoOAuth
internal import ATProtoRecordProof
internal import ATProtoXRPC
internal import Foundation
internal import HTTPTypes
internal import OAuthDPoP

/// A reader of untrusted input. It must accept or refuse any bytes, and never trap.
package struct FuzzTarget: Sendable {
    /// The reader accepted an input, but the result breaks a rule.
    package struct BrokenRule: Error {
        package let rule: String
    }

    package let name: String
    /// Valid inputs to start from.
    package let samples: [[UInt8]]
    /// Reads an input.
    ///
    /// - Throws: only ``BrokenRule``.
    package let read: @Sendable ([UInt8]) throws -> Void

    package static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }

    package static let all = [
        FuzzTarget(name: "json", samples: [Samples.json, Samples.tokens]) { bytes in
            guard let json = try? JSONParser.parse(bytes) else { return }
            guard (try? JSONParser.parse(json.text)) == json,
                (try? JSONParser.parse(json.indentedText)) == json
            else { throw BrokenRule(rule: "what is written is read as the same") }
        },
        FuzzTarget(name: "metadata", samples: [Samples.serverMetadata, Samples.resourceMetadata]) { bytes in
            guard let json = try? JSONParser.parse(bytes) else { return }
            let policy = NetworkPolicy()
            let issuer = try Issuer(validating: "https://pds.test", profile: .atproto, policy: policy)
            _ = try? ProtectedResourceMetadata(
                json: json, origin: Origin(scheme: .https, host: "pds.test"), profile: .atproto,
                policy: policy)
            if let metadata = try? AuthorizationServerMetadata(
                json: json, issuer: issuer, profile: .atproto, policy: policy),
                metadata.tokenEndpoint.origin.scheme != .https
            {
                throw BrokenRule(rule: "tokens are asked for over TLS")
            }
        },
        FuzzTarget(name: "did-document", samples: [Samples.didDocument, Samples.auditLog]) { bytes in
            guard let json = try? JSONParser.parse(bytes) else { return }
            let did = try DID(validating: "did:plc:ewvi7nxzyoun6zhxrhs64oiz")
            if let document = try? DIDDocument(json: json, expecting: did, policy: NetworkPolicy()),
                document.did != did || document.pds.scheme != .https
            {
                throw BrokenRule(rule: "a document speaks for its DID, and names a server with TLS")
            }
            _ = PLCAuditLog(json, of: did)
        },
        FuzzTarget(name: "dns", samples: [Samples.dns]) { bytes in
            let texts = DNSMessage.textRecords(in: bytes)
            guard let query = DNSMessage.textQuery(for: "_atproto.alice.test"),
                let answer = try? DNSMessage.textRecords(in: bytes, answering: query)
            else { return }
            guard answer.isEmpty || answer == texts else {
                throw BrokenRule(rule: "an answer has the texts of its message or none")
            }
        },
        FuzzTarget(name: "tokens", samples: [Samples.tokens]) { bytes in
            guard let json = try? JSONParser.parse(bytes) else { return }
            _ = try? TokenResponse(json: json).validate(for: .atproto)
        },
        FuzzTarget(name: "dag-cbor", samples: [Samples.record, Samples.commit, Samples.node]) { bytes in
            guard let value = try? DataValue(dagCBOR: bytes) else { return }
            guard value.dagCBOR == bytes else { throw BrokenRule(rule: "a value is written in one way only") }
            guard !value.isValidRecord || DataValue(value.json) == value else {
                throw BrokenRule(rule: "a record is the same in JSON")
            }
        },
        FuzzTarget(name: "car", samples: [Samples.car]) { bytes in
            guard var reader = try? CARReader(CARBytes(bytes)) else { return }
            while let block = try? reader.next() {
                guard CID(of: block.bytes, codec: block.cid.codec) == block.cid else {
                    throw BrokenRule(rule: "a block is what its identifier says")
                }
            }
        },
        FuzzTarget(name: "commit", samples: [Samples.commit]) { bytes in
            guard let commit = try? SignedCommit(bytes) else { return }
            guard commit.revision.utf8.count == 13, bytes.firstRange(of: commit.did.utf8) != nil else {
                throw BrokenRule(rule: "a commit has what its bytes say")
            }
        },
        FuzzTarget(name: "tree-node", samples: [Samples.node]) { bytes in
            let root = CID(of: bytes)
            for key in ["app.bsky.feed.post/3jqfcqzm3fo2j", "a/a", "z/z"].map({ Array($0.utf8) }) {
                guard let found = try? RecordProof.find(key, below: root, in: [root: bytes]) else { continue }
                guard CID(found.description) == found else {
                    throw BrokenRule(rule: "an identifier is written as it is read")
                }
            }
        },
        FuzzTarget(name: "record-proof", samples: [Samples.car]) { bytes in
            guard let key = RepositoryKey(multikey: Samples.repositoryKey) else {
                throw BrokenRule(rule: "the key of the sample is a key")
            }
            let proof = try? RecordProof(
                car: bytes, of: Samples.repository, path: Samples.recordPath, signedBy: key,
                now: Date(timeIntervalSince1970: 4_000_000_000))
            guard proof == nil || proof?.bytes == Samples.record else {
                throw BrokenRule(rule: "only the record that was signed is proven")
            }
        },
        FuzzTarget(name: "multikey", samples: [Samples.bytes(Samples.repositoryKey)]) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            for type in [
                "Multikey", "EcdsaSecp256r1VerificationKey2019", "EcdsaSecp256k1VerificationKey2019",
            ] {
                _ = RepositoryKey(type: type, publicKeyMultibase: text)
            }
        },
        FuzzTarget(name: "refusal", samples: Samples.refusals) { bytes in
            let fields: HTTPFields = [.contentType: "application/json"]
            let shown = [
                XRPCError(status: 403, headerFields: fields, body: bytes).message,
                OAuthErrorResponse(status: 400, headerFields: fields, body: bytes).description,
            ]
            guard shown.compactMap({ $0 }).allSatisfy(isHarmless) else {
                throw BrokenRule(rule: "no control character reaches a terminal")
            }
        },
        FuzzTarget(name: "challenge", samples: [Samples.challenge]) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            _ = WWWAuthenticate(text)
            guard HTTPField.isValidValue(text) else { return }
            let error = XRPCError(status: 401, headerFields: [.wwwAuthenticate: text], body: [])
            guard error.message.map(isHarmless) ?? true else {
                throw BrokenRule(rule: "no control character reaches a terminal")
            }
        },
        FuzzTarget(name: "redirect", samples: Samples.redirects) { bytes in
            let state = try State()
            let query = "state=\(state.value)&" + String(decoding: bytes, as: UTF8.self)
            let issuer = try Issuer(
                validating: "https://pds.test", profile: .atproto, policy: NetworkPolicy())
            _ = FormParameters(parsing: query)
            _ = try? AuthorizationResponse(
                query: query, expectedState: state, issuer: issuer, needsIssuer: true)
        },
        FuzzTarget(name: "gateway", samples: Samples.requests) { bytes in
            let lines = String(decoding: bytes, as: UTF8.self).split(
                separator: "\n", maxSplits: 3, omittingEmptySubsequences: false
            ).map(String.init)
            guard lines.count == 4, let method = HTTPRequest.Method(rawValue: lines[0]),
                let proxy = HTTPField.Name.atprotoProxy, HTTPField.isValidValue(lines[2])
            else { return }
            let request = GatewayRequest(
                method: method, target: lines[1],
                headerFields: [proxy: lines[2], .contentType: "application/json"],
                body: method == .post ? .bytes(Array(lines[3].utf8)) : .none)
            guard let call = try? request.call() else { return }
            let path = call.url(at: Origin(scheme: .https, host: "pds.test")).path
            guard path == "/xrpc/\(call.nsid)",
                PublicMethods.kind(of: call.nsid) != nil
                    || !names.contains(call.nsid.description.lowercased())
            else { throw BrokenRule(rule: "a method that is known goes by its own name") }
            let reading = AccessLimits(isReadOnly: true, rules: [], services: [])
            if reading.verdict(on: call) == .pass,
                call.method != .query || PublicMethods.kind(of: call.nsid) != .query
            {
                throw BrokenRule(rule: "only what reads passes --read-only")
            }
            let posting = AccessLimits(
                isReadOnly: false,
                rules: [try AllowRule(validating: "repo:app.bsky.feed.post?action=create")],
                services: [])
            guard posting.verdict(on: call) == .readBody,
                posting.refusal(ofBody: Array(lines[3].utf8), in: call, owner: ["alice.test"]) == nil
            else { return }
            guard lines[3].contains("alice.test"), lines[3].contains("app.bsky.feed.post") else {
                throw BrokenRule(rule: "only the account's own posts are written")
            }
        },
        FuzzTarget(name: "lexicon", samples: [Samples.lexicon, Samples.permissionSet]) { bytes in
            guard let json = try? JSONParser.parse(bytes).object,
                let document = try? LexiconDocument(validating: json),
                case .permissionSet(let set)? = document.main
            else { return }
            let expansion = SetExpansion(set.permissions, of: document.nsid, audience: nil)
            guard expansion.permissions.count + expansion.losses.count == set.permissions.count,
                expansion.permissions.allSatisfy({ isInside(document.nsid.authority, $0) })
            else { throw BrokenRule(rule: "a set permits only what is in its own namespace") }
        },
        FuzzTarget(name: "text", samples: Samples.texts) { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            if let url = try? HTTPURL(validating: text), (try? HTTPURL(validating: url.description)) != url {
                throw BrokenRule(rule: "a URL is written as it is read")
            }
            _ = try? Issuer(validating: text, profile: .atproto, policy: NetworkPolicy())
            _ = try? LoginIdentifier(parsing: text)
            _ = try? NSID(validating: text)
            _ = try? PermissionScope(validating: text)
            _ = try? ServiceReference(validating: text)
            _ = ShellWords.split(text)
            _ = try? AllowRule(validating: text)
        },
    ]

    /// The methods of the lexicons, in lower case.
    private static let names = Set(PublicMethods.names.map { $0.lowercased() })

    private static func isInside(_ authority: String, _ permission: PermissionScope) -> Bool {
        switch permission {
        case .rpc(let names, .any), .repo(let names, _):
            names.allSatisfy { name in
                if case .nsid(let nsid) = name { "\(nsid)".hasPrefix("\(authority).") } else { false }
            }
        default: false
        }
    }

    private static func isHarmless(_ text: String) -> Bool {
        !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
