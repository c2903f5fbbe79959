internal import ATPJSON
internal import ATProtoRecordProof

/// Writes a line for each record of a repository. The lines are collected into pieces, because there may be a million.
struct RecordLines {
    let console: Console
    let usesJSON: Bool
    private var piece: [UInt8] = []

    private static let mostInPiece = 1 << 16

    init(console: Console, usesJSON: Bool) {
        self.console = console
        self.usesJSON = usesJSON
    }

    mutating func append(_ record: ListedRecord) throws {
        let line =
            usesJSON
            ? console.text(of: [
                "schema": "bskyauth.verify-list/1", "uri": .string(record.uri),
                "cid": .string(record.cid.description), "blobs": JSONValue(record.blobs.map(\.description)),
            ]) : "\(record.uri) \(record.cid)"
        piece += line.utf8
        piece.append(0x0a)
        if piece.count >= Self.mostInPiece { try finish() }
    }

    /// Writes what is left.
    mutating func finish() throws {
        console.progress.clear()
        if !piece.isEmpty { try console.write(piece) }
        piece.removeAll(keepingCapacity: true)
    }
}
