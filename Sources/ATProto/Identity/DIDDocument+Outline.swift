package import JSON
internal import Networking

extension DIDDocument {
    /// A document that says what this one does to us and nothing more, for a cache to keep. It is read like any
    /// other, so that the same rules hold.
    package var outline: JSONValue {
        Self.outline(of: did, claimedHandle: claimedHandle, pds: pds.description)
    }

    static func outline(of did: DID, claimedHandle: Handle?, pds: String) -> JSONValue {
        [
            "id": .string(did.description),
            "alsoKnownAs": .array(claimedHandle.map { [.string("at://\($0)")] } ?? []),
            "service": [
                [
                    "id": "#atproto_pds", "type": "AtprotoPersonalDataServer",
                    "serviceEndpoint": .string(pds),
                ]
            ],
        ]
    }
}
