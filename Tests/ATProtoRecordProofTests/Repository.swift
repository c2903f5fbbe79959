import ATPCryptography
import ATProtoRecordProof
import Foundation

@testable import ATProtoRecordProof

/// A repository with a P-256 key, whose answers prove its records.
struct Repository {
    static let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"
    let key: P256PrivateKey
    let records: [String: [UInt8]]

    init(records: [String: [UInt8]]) throws {
        key = try P256PrivateKey()
        self.records = records
    }

    /// Some records in two collections.
    static func sample(_ count: Int = 40) throws -> Repository {
        var records: [String: [UInt8]] = [:]
        for number in 0..<count {
            let collection = number % 3 == 0 ? "app.bsky.feed.like" : "app.bsky.feed.post"
            let value = DataValue.map([("$type", .text(collection)), ("text", .text("number \(number)"))])
            records["\(collection)/3jqfcqzm3f\(String(number, radix: 32))x"] = value.dagCBOR
        }
        return try Repository(records: records)
    }

    var publicKey: RepositoryKey? {
        let point = [key.publicKey.y.last.map { $0 % 2 == 0 } == true ? UInt8(2) : 3] + key.publicKey.x
        return RepositoryKey(multikey: "z" + Base58Text.encode([0x80, 0x24] + point))
    }

    struct Written {
        var commit: CID
        var data: CID
        var blocks: [CID: [UInt8]]

        func car(of cids: [CID]) -> [UInt8] {
            let header = DataValue.map([("roots", .array([.link(commit)])), ("version", .integer(1))]).dagCBOR
            return Written.frame(header)
                + cids.flatMap { Written.frame($0.bytes + (blocks[$0] ?? [])) }
        }

        static func frame(_ bytes: [UInt8]) -> [UInt8] {
            var (length, frame) = (bytes.count, [UInt8]())
            repeat {
                frame.append(UInt8(length & 0x7f) | (length > 0x7f ? 0x80 : 0))
                length >>= 7
            } while length > 0
            return frame + bytes
        }
    }

    /// Writes the repository.
    ///
    /// - Parameter change: changes the members of the commit before it is signed.
    func written(
        revision: String = "3l3qo2vutsw2b",
        changing change: (inout [(name: String, value: DataValue)]) -> Void = { _ in }
    ) throws -> Written {
        var writer = TreeWriter(layer: { TreeNode.layer(of: Array($0.utf8)) })
        let data = writer.write(records.mapValues { CID(of: $0) })
        var blocks = writer.blocks
        for record in records.values { blocks[CID(of: record)] = record }
        var members: [(name: String, value: DataValue)] = [
            ("did", .text(Self.did)), ("version", .integer(3)), ("data", .link(data)),
            ("rev", .text(revision)),
            ("prev", .null),
        ]
        change(&members)
        let unsigned = DataValue.map(members).dagCBOR
        members.append(("sig", .bytes(try signature(of: unsigned))))
        let commit = DataValue.map(members).dagCBOR
        let cid = CID(of: commit)
        blocks[cid] = commit
        return Written(commit: cid, data: data, blocks: blocks)
    }

    /// A signature with the lower value of s.
    private func signature(of message: [UInt8]) throws -> [UInt8] {
        while true {
            let signature = try key.sign(message)
            // Half of all signatures have it.
            if publicKey?.verifies(signature, of: message) == true { return signature }
        }
    }

    /// The answer of `com.atproto.sync.getRecord`: the commit, the path to a key, and the record.
    func proof(of path: String, in written: Written) throws -> [UInt8] {
        var needed = [written.commit]
        var cid: CID? = written.data
        let key = Array(path.utf8)
        while let present = cid, let bytes = written.blocks[present] {
            needed.append(present)
            let node = try TreeNode(bytes)
            if let entry = node.entries.first(where: { $0.key == key }) {
                needed.append(entry.value)
                break
            }
            cid = node.subtree(
                before: node.entries.firstIndex { key.lexicographicallyPrecedes($0.key) }
                    ?? node.entries.count)
        }
        return written.car(of: needed)
    }
}

enum Base58Text {
    static func encode(_ bytes: [UInt8]) -> String {
        let digits = Array("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
        var (number, text) = (bytes, "")
        while number.contains(where: { $0 != 0 }) {
            var rest = 0
            for index in number.indices {
                rest = rest << 8 | Int(number[index])
                number[index] = UInt8(rest / 58)
                rest %= 58
            }
            text.insert(digits[rest], at: text.startIndex)
        }
        return String(repeating: "1", count: bytes.prefix { $0 == 0 }.count) + text
    }
}
