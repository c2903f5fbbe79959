/// A change of one record. A commit has one or several.
enum RecordWrite: Sendable {
    /// A record with its place and its encoded form.
    struct Content: Sendable {
        let collection: String
        let key: String
        let value: JSONValue
        let block: Block
    }

    /// A record under a key that is free.
    case create(Content)
    /// Another record under a key that has one.
    case update(Content)
    /// A record under any key. `swapping` is `swapRecord` of com.atproto.repo.putRecord, the CID of the older record or null for
    /// none. Another one is replaced only by itself. Without it any record is replaced.
    case put(Content, swapping: JSONValue?)
    /// - Parameter isNeeded: whether there has to be a record.
    case delete(collection: String, key: String, isNeeded: Bool)
}

extension Repository {
    /// Carries a write out, or refuses it as the reference server does. Its tree fails at a key that is taken or missing, and the
    /// caller is not told why.
    mutating func carryOut(
        _ write: RecordWrite, record: (RecordWrite.Content) -> Record
    ) throws(XRPCFailure) {
        switch write {
        case .create(let content):
            guard self.record(content) == nil else { throw .internalError }
            put(record(content))
        case .update(let content):
            guard self.record(content) != nil else { throw .internalError }
            put(record(content))
        case .put(let content, let swapping):
            let older = self.record(content)?.cid
            if let swapping, swapping.string != older, older != content.block.cid.text {
                throw XRPCFailure(400, "InvalidSwap", "Record was at \(older ?? "null")", .other)
            }
            put(record(content))
        case .delete(let collection, let key, let isNeeded):
            guard !isNeeded || records[collection]?[key] != nil else { throw .internalError }
            delete(collection: collection, key: key)
        }
    }

    private func record(_ content: RecordWrite.Content) -> Record? {
        records[content.collection]?[content.key]
    }
}
