import ATProtoRecordProof

/// Writes a repository's tree, as a server does. The product only reads trees.
struct TreeWriter {
    private(set) var blocks: [CID: [UInt8]] = [:]
    let layer: (String) -> Int

    /// - Parameter records: the identifiers of records, by their keys.
    mutating func write(_ records: [String: CID]) -> CID {
        let keys = records.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        let top = keys.map(layer).max() ?? 0
        return node(keys[...], records, at: top) ?? add(.map([("e", .array([])), ("l", .null)]))
    }

    /// The node of some keys; nil for none.
    private mutating func node(_ keys: ArraySlice<String>, _ records: [String: CID], at level: Int) -> CID? {
        guard !keys.isEmpty else { return nil }
        let places = keys.indices.filter { layer(keys[$0]) == level }
        var entries: [DataValue] = []
        let first = node(keys[keys.startIndex..<(places.first ?? keys.endIndex)], records, at: level - 1)
        for (number, place) in places.enumerated() {
            let next = number + 1 < places.count ? places[number + 1] : keys.endIndex
            let after = node(keys[(place + 1)..<next], records, at: level - 1)
            let previous = number > 0 ? keys[places[number - 1]] : ""
            let shared = Self.commonPrefix(previous, keys[place])
            guard let record = records[keys[place]] else { continue }
            entries.append(
                .map([
                    ("k", .bytes(Array(keys[place].utf8.dropFirst(shared)))), ("p", .integer(Int64(shared))),
                    ("t", after.map { .link($0) } ?? .null), ("v", .link(record)),
                ]))
        }
        return add(.map([("e", .array(entries)), ("l", first.map { .link($0) } ?? .null)]))
    }

    private mutating func add(_ value: DataValue) -> CID {
        let bytes = value.dagCBOR
        let cid = CID(of: bytes)
        blocks[cid] = bytes
        return cid
    }

    static func commonPrefix(_ left: String, _ right: String) -> Int {
        zip(left.utf8, right.utf8).prefix { $0 == $1 }.count
    }
}
