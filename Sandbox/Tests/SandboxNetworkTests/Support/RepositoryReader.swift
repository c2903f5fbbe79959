@testable import SandboxNetwork

/// Reads the CAR file of a repository or of one record and checks it, as a strict client does.
struct RepositoryReader {
    /// What is wrong with a CAR file.
    enum Flaw: Error {
        case form, hash, nonCanonical, missingBlock
        case otherDID, signatureForm, highS, signature
        case layer, order
    }

    let root: ContentIdentifier
    private(set) var blocks: [ContentIdentifier: [UInt8]] = [:]
    private(set) var unused: Set<ContentIdentifier>

    /// Reads the blocks, and checks their hashes.
    init(_ car: [UInt8]) throws {
        var rest = car[...]
        func frame() throws -> ArraySlice<UInt8> {
            var (length, shift, digit) = (0, 0, UInt8(0x80))
            while digit >= 0x80 {
                guard let next = rest.popFirst(), shift < 32 else { throw Flaw.form }
                digit = next
                length |= Int(digit & 0x7f) << shift
                shift += 7
            }
            guard rest.count >= length else { throw Flaw.form }
            defer { rest = rest.dropFirst(length) }
            return rest.prefix(length)
        }
        let header = try CBORReader.value(of: Array(frame()))
        guard header["version"]?.integer == 1, let roots = header["roots"]?.items, roots.count == 1,
            let root = roots[0].link
        else { throw Flaw.form }
        self.root = root
        while !rest.isEmpty {
            let frame = try frame()
            let (cid, block) = (try ContentIdentifier(reading: frame.prefix(36)), Array(frame.dropFirst(36)))
            guard ContentIdentifier(ofBlock: block) == cid else { throw Flaw.hash }
            guard blocks.updateValue(block, forKey: cid) == nil else { throw Flaw.form }
        }
        unused = Set(blocks.keys)
    }

    /// The commit, which must be the account's and signed by the key.
    mutating func commit(of did: String, signedBy key: P256.PublicKey) throws -> CBORValue {
        let (commit, unsigned, signature) = try commitParts()
        guard commit["did"]?.text == did else { throw Flaw.otherDID }
        guard signature.count == 64 else { throw Flaw.signatureForm }
        guard !P256.flipped(signature).lexicographicallyPrecedes(signature) else { throw Flaw.highS }
        guard key.isValid(signature, for: unsigned) else { throw Flaw.signature }
        return commit
    }

    /// The commit, its encoding without the signature, and the signature.
    mutating func commitParts() throws -> (commit: CBORValue, unsigned: [UInt8], signature: [UInt8]) {
        let commit = try block(root)
        guard case .map(let members) = commit, members.count == 6, commit["version"]?.integer == 3,
            case .null? = commit["prev"], let signature = commit["sig"]?.bytes
        else { throw Flaw.form }
        return (commit, CBORValue.map(members.filter { $0.name != "sig" }).encoded, signature)
    }

    /// The value of a record; `nil` when the nodes prove that it is not there.
    mutating func record(_ path: String) throws -> CBORValue? {
        guard let cid = try entries(for: path)[path] else { return nil }
        return try block(cid)
    }

    /// Every record of a whole repository.
    mutating func records() throws -> [String: CBORValue] {
        var records: [String: CBORValue] = [:]
        for (path, cid) in try entries(for: nil) { records[path] = try block(cid) }
        return records
    }

    private mutating func entries(for path: String?) throws -> [String: ContentIdentifier] {
        guard let top = try block(root)["data"]?.link else { throw Flaw.form }
        var found: [String: ContentIdentifier] = [:]
        try walk(top, layer: nil, between: "", and: nil, for: path, into: &found)
        return found
    }

    private mutating func walk(
        _ cid: ContentIdentifier, layer: Int?, between low: String, and high: String?, for path: String?,
        into found: inout [String: ContentIdentifier]
    ) throws {
        let node = try block(cid)
        var (keys, children, last) = ([String](), [node["l"]?.link], low)
        for entry in node["e"]?.items ?? [] {
            guard let shared = entry["p"]?.integer, let tail = entry["k"]?.bytes,
                let value = entry["v"]?.link
            else { throw Flaw.form }
            let key = String(decoding: (keys.last ?? "").utf8.prefix(shared) + tail, as: UTF8.self)
            guard key > last, high.map({ key < $0 }) != false else { throw Flaw.order }
            last = key
            keys.append(key)
            children.append(entry["t"]?.link)
            found[key] = value
        }
        // Only the top of an empty repository has nothing. A top without keys would be trimmed.
        let hasChild = children.contains { $0 != nil }
        if keys.isEmpty, hasChild == (layer == nil) { throw Flaw.layer }
        let layer = layer ?? keys.first.map(Self.layer) ?? 0
        guard keys.allSatisfy({ Self.layer($0) == layer }), layer > (hasChild ? 0 : -1) else {
            throw Flaw.layer
        }
        for (place, child) in children.enumerated() {
            guard let child else { continue }
            let bounds = (place == 0 ? low : keys[place - 1], place < keys.count ? keys[place] : high)
            if let path, path <= bounds.0 || bounds.1.map({ path >= $0 }) == true { continue }
            try walk(child, layer: layer - 1, between: bounds.0, and: bounds.1, for: path, into: &found)
        }
    }

    private mutating func block(_ cid: ContentIdentifier) throws -> CBORValue {
        guard let bytes = blocks[cid] else { throw Flaw.missingBlock }
        let value = try CBORReader.value(of: bytes)
        guard value.encoded == bytes else { throw Flaw.nonCanonical }
        unused.remove(cid)
        return value
    }

    private static func layer(_ key: String) -> Int {
        let bits = SHA256.digest(of: key.utf8).flatMap { byte in
            (0..<8).map { byte >> (7 - $0) & 1 }
        }
        return bits.prefix { $0 == 0 }.count / 2
    }
}
