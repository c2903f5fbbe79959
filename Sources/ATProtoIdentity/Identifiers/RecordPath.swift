/// The syntax of a record's path in its repository: `COLLECTION/RKEY` (atproto.com/specs/repository: Repository Paths).
///
/// A path is compared byte by byte. An official server keeps `COM.example.x/a` and `com.example.x/a` as two records, so a collection
/// of a path is never an ``NSID``, which lower-cases its authority.
package enum RecordPath {
    /// Whether bytes are a collection, in any case, and the key of a record.
    package static func isValid(_ path: some Collection<UInt8>) -> Bool {
        let parts = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        return parts.count == 2 && NSID.isValid(parts[0]) && isKey(parts[1])
    }

    /// Whether bytes are the key of a record (atproto.com/specs/record-key).
    package static func isKey(_ key: some Collection<UInt8>) -> Bool {
        (1...512).contains(key.count) && !key.elementsEqual(".".utf8) && !key.elementsEqual("..".utf8)
            && key.allSatisfy { $0.isASCIIAlphanumeric || "._:~-".utf8.contains($0) }
    }
}
