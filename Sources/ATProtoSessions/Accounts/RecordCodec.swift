package import ATPCryptography
package import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoOAuth
package import OAuthDPoP

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// A decrypted record that can't be decoded, because a version of the program with another format wrote it.
package struct UnreadableRecord: Error, Sendable, Hashable {
    /// The member that is missing or has the wrong type.
    package let member: String

    package init(member: String) {
        self.member = member
    }
}

extension Account {
    /// The plaintext of the sealed profile.
    package var record: SecretBytes {
        let json: JSONValue = [
            "version": 1,
            "id": .string(id.text),
            "did": .string(did.description),
            "handle": JSONValue(handle?.description),
            "label": JSONValue(label),
            "pds": .string(pds.description),
            "dev_network": .bool(devNetwork != nil),
            "dev_network_url": JSONValue(devNetwork?.description),
            "added_at": JSONValue(RecordReader.seconds(addedAt)),
        ]
        return SecretBytes(Array(json.text.utf8))
    }

    package init(record: SecretBytes) throws(UnreadableRecord) {
        let reader = try RecordReader(record)
        let pds = try reader.value("pds", Self.origin)
        // Older records don't name the dev network. There it is the origin of the PDS.
        let devNetwork = try reader.optional("dev_network_url", Self.origin) ?? pds
        self.init(
            id: try reader.value("id") { UUID(uuidString: $0) },
            did: try reader.value("did") { try? DID(validating: $0) },
            handle: try reader.optional("handle") { try? ATProtoIdentity.Handle(validating: $0) },
            label: try reader.optional("label") { $0 },
            pds: pds,
            devNetwork: try reader.bool("dev_network") ? devNetwork : nil,
            addedAt: try reader.date("added_at"))
    }

    private static func origin(_ text: String) -> Origin? { (try? HTTPURL(validating: text))?.origin }
}

extension Session {
    /// The plaintext of the sealed session.
    package var record: SecretBytes {
        var json: JSONObject = [
            "version": 1,
            "auth": .string(credential.name),
            "created_at": JSONValue(RecordReader.seconds(createdAt)),
            "access_token": .string(accessToken.reveal()),
            "refresh_token": JSONValue(refreshToken?.reveal()),
            "access_expires_at": JSONValue(RecordReader.seconds(accessExpiresAt)),
            "obtained_at": JSONValue(RecordReader.seconds(obtainedAt)),
            "scope": .string(scope.description),
            "state": .string(state.rawValue),
            "last_error": JSONValue(lastError),
        ]
        if let requestedScope { json["asked"] = .string(requestedScope) }
        switch credential {
        case .oauth(let oauth):
            json["issuer"] = .string(oauth.issuer.description)
            json["client_id"] = .string(oauth.client.id.description)
            if let keyID = oauth.client.keyID {
                json["client_key_id"] = .string(keyID)
                json["client_key_alg"] = "ES256"
            }
            // An earlier version looks for the key in the vault, does not find it, and sends nothing.
            if let backend = oauth.client.backend {
                json["client_assertions"] = .string(backend.origin.description)
                json["client_certificate"] = JSONValue(backend.certificate?.file)
                json["client_certificate_key"] = JSONValue(backend.certificate?.keyFile)
            }
            // A key that is kept elsewhere is only named.
            if let key = oauth.key as? DPoPKey {
                json["dpop_key"] = .string(key.privateKeyText())
            } else {
                json["dpop_thumbprint"] = .string(oauth.key.thumbprint)
            }
        case .password(let service): json["service"] = .string(service.description)
        }
        return SecretBytes(Array(JSONValue.object(json).text.utf8))
    }

    /// - Parameter signers: finds a key that is kept elsewhere, by its thumbprint.
    package init(
        record: SecretBytes, signers: (String) -> (any ProofSigner)? = { _ in nil }
    ) throws(UnreadableRecord) {
        let reader = try RecordReader(record)
        self.init(
            credential: try SessionCredential(reader, signers),
            createdAt: try reader.date("created_at"),
            accessToken: AccessToken(try reader.value("access_token") { $0 }),
            refreshToken: try reader.optional("refresh_token") { $0 }.map { RefreshToken($0) },
            accessExpiresAt: try reader.date("access_expires_at"),
            obtainedAt: try reader.date("obtained_at"),
            scope: try reader.value("scope") { Scope($0) },
            requestedScope: try reader.optional("asked") { $0 },
            state: try reader.value("state") { SessionState(rawValue: $0) },
            lastError: try reader.optional("last_error") { $0 })
    }
}

extension SessionCredential {
    fileprivate init(
        _ reader: RecordReader, _ signers: (String) -> (any ProofSigner)?
    ) throws(UnreadableRecord) {
        switch try reader.value("auth", { $0 }) {
        case "oauth":
            self = .oauth(
                OAuthCredential(
                    issuer: try reader.value("issuer", Self.issuer),
                    client: Client(
                        try reader.value("client_id") { ClientID($0) },
                        authentication: try Self.authentication(reader)),
                    key: try Self.key(reader, signers)))
        case "app-password":
            self = .password(service: try reader.value("service", Self.origin))
        default: throw UnreadableRecord(member: "auth")
        }
    }

    private static func key(
        _ reader: RecordReader, _ signers: (String) -> (any ProofSigner)?
    ) throws(UnreadableRecord) -> any ProofSigner {
        let known = try reader.optional("dpop_thumbprint") { name in
            signers(name).flatMap { $0.thumbprint == name ? $0 : nil }
        }
        if let known { return known }
        return try reader.value("dpop_key") { try? DPoPKey(privateKeyText: $0) }
    }

    private static func authentication(
        _ reader: RecordReader
    ) throws(UnreadableRecord) -> ClientAuthentication {
        // Older records don't name the algorithm. There is only one.
        _ = try reader.optional("client_key_alg") { $0 == "ES256" ? $0 : nil }
        guard let keyID = try reader.optional("client_key_id", { $0 }) else { return .none }
        guard let origin = try reader.optional("client_assertions", Self.origin) else {
            return .privateKeyJWT(keyID: keyID)
        }
        let certificate = try reader.optional("client_certificate") { $0 }
        let backend = AssertionBackend(
            origin: origin,
            certificate: try certificate.map { file throws(UnreadableRecord) in
                ClientCertificate(file: file, keyFile: try reader.value("client_certificate_key") { $0 })
            })
        return .backend(backend, keyID: keyID)
    }

    private static func origin(_ text: String) -> Origin? { (try? HTTPURL(validating: text))?.origin }

    /// The network policy was checked when the issuer was written. The transport checks it again.
    private static func issuer(_ text: String) -> Issuer? {
        let loopback = Origin(scheme: .http, host: "127.0.0.1")
        let policy = NetworkPolicy(
            devNetwork: text.hasPrefix("http:") ? loopback : nil, allowsPrivateNetwork: true)
        return try? Issuer(validating: text, profile: .atproto, policy: policy)
    }
}

/// Reads the members of a record. Each must be present and have the right type.
package struct RecordReader {
    private let json: JSONValue

    package init(_ record: SecretBytes) throws(UnreadableRecord) {
        try self.init(versioned: try? JSONParser.parse(record.bytes))
    }

    /// Reads a record that is kept as text.
    package init(_ record: String) throws(UnreadableRecord) {
        try self.init(versioned: try? JSONParser.parse(record))
    }

    private init(versioned json: JSONValue?) throws(UnreadableRecord) {
        guard let json, json["version"]?.integer == 1 else { throw UnreadableRecord(member: "version") }
        self.json = json
    }

    /// Reads an object inside a record.
    package init(_ json: JSONValue) {
        self.json = json
    }

    package func value<Value>(_ name: String, _ read: (String) -> Value?) throws(UnreadableRecord) -> Value {
        guard let text = json[name]?.string, let value = read(text) else {
            throw UnreadableRecord(member: name)
        }
        return value
    }

    package func optional<Value>(_ name: String, _ read: (String) -> Value?) throws(UnreadableRecord)
        -> Value?
    {
        guard let found = json[name], !found.isNull else { return nil }
        return try value(name, read)
    }

    package func bool(_ name: String) throws(UnreadableRecord) -> Bool {
        guard let bool = json[name]?.bool else { throw UnreadableRecord(member: name) }
        return bool
    }

    package func array(_ name: String) throws(UnreadableRecord) -> [JSONValue] {
        guard let array = json[name]?.array else { throw UnreadableRecord(member: name) }
        return array
    }

    package func optionalDate(_ name: String) throws(UnreadableRecord) -> Date? {
        guard let found = json[name], !found.isNull else { return nil }
        return try date(name)
    }

    package func date(_ name: String) throws(UnreadableRecord) -> Date {
        guard let seconds = json[name]?.integer, let date = Date(recorded: seconds) else {
            throw UnreadableRecord(member: name)
        }
        return date
    }

    package static func seconds(_ date: Date) -> Int64 {
        Int64(date.timeIntervalSince1970.rounded(.down))
    }
}
