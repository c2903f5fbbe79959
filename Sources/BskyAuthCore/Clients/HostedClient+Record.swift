internal import ATPCryptography
internal import ATPJSON
internal import ATProtoSessions
internal import ATProtoVault
internal import FoundationEssentials
internal import OAuthDPoP

extension HostedClient {
    /// The plaintext of the sealed file.
    var record: SecretBytes {
        let json: JSONValue = [
            "version": 1,
            "id": .string(id.text),
            "name": .string(name),
            "kind": .string(kind.rawValue),
            "base": .string(base),
            "display_name": .string(displayName),
            "scope": .string(scope.description),
            "published": .bool(isPublished),
            "keys": .array(keys.map(\.json)),
            "removed": JSONValue(removedKeyIDs),
            "directory": JSONValue(directory),
        ]
        return SecretBytes(Array(json.text.utf8))
    }

    init(record: SecretBytes) throws(UnreadableRecord) {
        try self.init(RecordReader(record))
    }

    /// Reads the same JSON inside another record.
    init(json: JSONValue) throws(UnreadableRecord) {
        try self.init(RecordReader(json))
    }

    private init(_ reader: RecordReader) throws(UnreadableRecord) {
        self.init(
            id: try reader.value("id") { UUID(uuidString: $0) },
            name: try reader.value("name") { $0 },
            kind: try reader.value("kind") { Kind(rawValue: $0) },
            base: try reader.value("base") { $0 },
            displayName: try reader.value("display_name") { $0 },
            scope: try reader.value("scope") { Scope($0) },
            isPublished: try reader.bool("published"),
            keys: try reader.array("keys").map(Key.init),
            removedKeyIDs: try reader.array("removed").map { json throws(UnreadableRecord) in
                guard let keyID = json.string else { throw UnreadableRecord(member: "removed") }
                return keyID
            },
            directory: try reader.optional("directory") { $0 })
    }
}

extension HostedClient.Key {
    fileprivate var json: JSONValue {
        [
            "label": .string(label),
            "public": publicKey.documentEntry,
            "secret": JSONValue(secret?.privateKeyText()),
            "added_at": JSONValue(RecordReader.seconds(addedAt)),
            "last_login": lastLogin.map { JSONValue(RecordReader.seconds($0)) } ?? .null,
            "exported_at": exportedAt.map { JSONValue(RecordReader.seconds($0)) } ?? .null,
        ]
    }

    fileprivate init(_ json: JSONValue) throws(UnreadableRecord) {
        let reader = RecordReader(json)
        guard let publicKey = json["public"].flatMap({ PublicJWK(json: $0) }) else {
            throw UnreadableRecord(member: "public")
        }
        self.init(
            label: try reader.value("label") { $0 }, publicKey: publicKey,
            secret: try reader.optional("secret") { try? ClientKey(privateKeyText: $0) },
            addedAt: try reader.date("added_at"), lastLogin: try reader.optionalDate("last_login"),
            exportedAt: try reader.optionalDate("exported_at"))
    }
}
