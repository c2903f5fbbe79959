package import ATPJSON
package import ATProtoIdentity

/// The facets of the texts in the records of a write (protocol:X15).
package struct WriteFacets: Sendable {
    private let body: JSONObject
    private let nsid: NSID

    /// The handles that the texts mention, in order and once each.
    package private(set) var handles: [Handle] = []
    /// Words after an `@` that are handles but for their last label, which is no top-level domain, in order and once each.
    package private(set) var almostMentions: [String] = []

    /// Finds the texts in a body, as it is sent.
    package init(_ body: JSONObject, of nsid: NSID) throws(InvalidWriteFacets) {
        (self.body, self.nsid) = (body, nsid)
        var (given, texts, isWrite, copy) = (String?.none, 0, false, body)
        var mentioned: [Handle] = []
        var almost: [String] = []
        copy.changeRecords(of: nsid) { record, place in
            isWrite = true
            if record["facets"] != nil { given = given ?? "\(place.name)[facets]" }
            guard let text = record["text"]?.string else { return }
            texts += 1
            for word in TextFacet.almostMentions(in: text) where !almost.contains(word) {
                almost.append(word)
            }
            for case .mention(let handle) in TextFacet.all(in: text).map(\.feature)
            where !mentioned.contains(handle) {
                mentioned.append(handle)
            }
        }
        if let given { throw .given(given) }
        guard texts > 0 else { throw isWrite ? .noText : .noRecord }
        handles = mentioned
        almostMentions = almost
    }

    /// The body with the facets. A mention without a DID stays text.
    package func body(naming dids: [Handle: DID]) -> JSONObject {
        var body = body
        body.changeRecords(of: nsid) { record, _ in
            guard let text = record["text"]?.string else { return }
            let facets = TextFacet.all(in: text).compactMap { $0.json(naming: dids) }
            if !facets.isEmpty { record["facets"] = .array(facets) }
        }
        return body
    }
}

/// Why no facets can be found for a call.
package enum InvalidWriteFacets: Error, Sendable, Hashable {
    /// The method writes no records, or the body has none.
    case noRecord
    /// No record has a text.
    case noText
    /// A record has facets already. The name is that of an item.
    case given(String)
}

extension TextFacet {
    /// The facet in a record; nil for a mention without a DID.
    fileprivate func json(naming dids: [Handle: DID]) -> JSONValue? {
        let feature: JSONValue
        switch self.feature {
        case .mention(let handle):
            guard let did = dids[handle] else { return nil }
            feature = ["$type": "app.bsky.richtext.facet#mention", "did": .string(did.description)]
        case .link(let uri): feature = ["$type": "app.bsky.richtext.facet#link", "uri": .string(uri)]
        case .tag(let tag): feature = ["$type": "app.bsky.richtext.facet#tag", "tag": .string(tag)]
        }
        return [
            "index": ["byteStart": JSONValue(bytes.lowerBound), "byteEnd": JSONValue(bytes.upperBound)],
            "features": [feature],
        ]
    }
}
