public import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoXRPC

extension Agent {
    /// The records of the account's repository.
    public var records: Records { Records(agent: self) }

    /// Uploads a file, which a record can then refer to (`com.atproto.repo.uploadBlob`). A blob that no record refers to is
    /// deleted after a while.
    ///
    /// - Parameters:
    ///   - body: the content. A stream is read again if the request is sent again, after a refused token or nonce.
    ///   - mediaType: the media type, as `image/png`.
    public func uploadBlob(_ body: RequestBody, mediaType: String) async throws(ATProtoFailure) -> Blob {
        struct Answer: Decodable { let blob: Blob }
        let answer: Answer = try Self.decode(
            try await answer(.procedure, "com.atproto.repo.uploadBlob", [:], body, mediaType))
        return answer.blob
    }
}

/// The records of repositories: those of the account are written, and those of anybody can be read
/// (atproto.com/specs/repository).
public struct Records: Sendable {
    let agent: Agent

    /// A record with its address.
    public struct Entry<Value: Decodable & Sendable>: Decodable, Sendable {
        /// The AT-URI of the record.
        public let uri: String
        /// The hash of the record. Nil if the server does not say.
        public let cid: String?
        /// The record.
        public let value: Value
    }

    /// A page of records.
    public struct Page<Value: Decodable & Sendable>: Decodable, Sendable {
        /// The records of the page.
        public let records: [Entry<Value>]
    }

    /// Adds a record. Sent twice, it makes two records unless it has a key.
    ///
    /// - Parameters:
    ///   - collection: the type of the record, as `app.bsky.feed.post`.
    ///   - record: the record. Its `$type` must be the collection.
    ///   - key: the record's key; nil lets the server choose one.
    public func create(
        _ collection: String, _ record: some Encodable & Sendable, key: String? = nil
    ) async throws(ATProtoFailure) -> StrongReference {
        try await agent.procedure(
            "com.atproto.repo.createRecord",
            input: Write(repo: try await repository(), collection: collection, rkey: key, record: record))
    }

    /// Reads a record.
    ///
    /// - Parameters:
    ///   - collection: the type of the record.
    ///   - key: the record's key.
    ///   - repository: the handle or DID whose record it is; nil for the account itself.
    ///   - type: what the record is read as.
    public func get<Value: Decodable & Sendable>(
        _ collection: String, _ key: String, of repository: String? = nil, as type: Value.Type = Value.self
    ) async throws(ATProtoFailure) -> Entry<Value> {
        try await agent.query(
            "com.atproto.repo.getRecord",
            [
                "repo": .init(try await self.repository(repository)), "collection": .init(collection),
                "rkey": .init(key),
            ])
    }

    /// Replaces a record, or adds it under this key.
    ///
    /// - Parameters:
    ///   - collection: the type of the record.
    ///   - key: the record's key.
    ///   - record: the record. Its `$type` must be the collection.
    ///   - present: the hash of the record that is to be replaced. With another one, nothing is written and the server answers
    ///     `InvalidSwap`. Nil replaces any.
    public func put(
        _ collection: String, _ key: String, _ record: some Encodable & Sendable,
        replacing present: String? = nil
    ) async throws(ATProtoFailure) -> StrongReference {
        try await agent.procedure(
            "com.atproto.repo.putRecord",
            input: Write(
                repo: try await repository(), collection: collection, rkey: key, record: record,
                swapRecord: present))
    }

    /// Removes a record. A record that does not exist is no error.
    public func delete(_ collection: String, _ key: String) async throws(ATProtoFailure) {
        try await agent.procedure(
            "com.atproto.repo.deleteRecord",
            input: Deletion(repo: try await repository(), collection: collection, rkey: key))
    }

    /// The records of a collection, in pages, the newest first.
    ///
    /// - Parameters:
    ///   - collection: the type of the records.
    ///   - repository: the handle or DID whose records they are; nil for the account itself.
    ///   - type: what the records are read as.
    public func list<Value: Decodable & Sendable>(
        _ collection: String, of repository: String? = nil, as type: Value.Type = Value.self
    ) async throws(ATProtoFailure) -> Agent.Pages<Page<Value>> {
        agent.pages(
            "com.atproto.repo.listRecords",
            [
                "repo": .init(try await self.repository(repository)), "collection": .init(collection),
                "limit": 100,
            ])
    }

    private func repository(_ named: String? = nil) async throws(ATProtoFailure) -> String {
        if let named { return named }
        do { return try await agent.did().description } catch { throw ATProtoFailure(error) }
    }

    private struct Write<Record: Encodable & Sendable>: Encodable, Sendable {
        let repo: String
        let collection: String
        let rkey: String?
        let record: Record
        var swapRecord: String?
    }

    private struct Deletion: Encodable, Sendable {
        let repo: String
        let collection: String
        let rkey: String
    }
}

/// A record at an address with its hash (`com.atproto.repo.strongRef`).
public struct StrongReference: Codable, Sendable, Hashable {
    /// The AT-URI of the record.
    public let uri: String
    /// The hash of the record.
    public let cid: String
}

/// A file that a record refers to (atproto.com/specs/data-model, `blob`).
public struct Blob: Codable, Sendable, Hashable {
    private struct Link: Codable, Hashable {
        let link: String
        enum CodingKeys: String, CodingKey { case link = "$link" }
    }

    private let type: String
    private let ref: Link
    /// The media type.
    public let mimeType: String
    /// The size in bytes.
    public let size: Int

    /// The hash of the content.
    public var cid: String { ref.link }

    private enum CodingKeys: String, CodingKey {
        case type = "$type"
        case ref, mimeType, size
    }
}
