#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// A block of a CAR file: bytes whose SHA-256 is that of their identifier.
public struct Block: Sendable, Hashable {
    /// The identifier.
    public let cid: CID
    /// The content.
    public let bytes: [UInt8]
}

/// Gives the bytes of a CAR file in order.
public protocol CARSource {
    /// The next bytes: at least one and at most `limit`, and none at the end.
    mutating func read(upTo limit: Int) throws -> [UInt8]
}

/// A CAR file in memory.
public struct CARBytes: CARSource, Sendable {
    private var rest: ArraySlice<UInt8>

    /// A file of these bytes.
    public init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// The next bytes of the file.
    public mutating func read(upTo limit: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(limit) }
        return Array(rest.prefix(limit))
    }
}

/// Why a CAR file can't be read (ipld.io/specs/transport/car/carv1).
public enum InvalidCAR: Error, Sendable, Hashable {
    /// The file ends within its header or a block.
    case cutShort
    /// A length has more bytes than it needs, or does not fit in 64 bits.
    case length
    /// The header is longer than 64 KiB, or is not `{"roots": […], "version": 1}`.
    case header
    /// The header names no root.
    case noRoot
    /// A block is longer than 2 MiB.
    case blockSize
    /// A block has an identifier of another version, codec or hash than this protocol uses.
    case identifier
    /// The bytes of a block have another SHA-256 than its identifier says.
    case digest(CID)
}

/// Reads CARv1 block by block. Every block is hashed, so a block that was read is what its identifier says.
public struct CARReader<Source: CARSource> {
    private var source: Source
    private var buffer: ArraySlice<UInt8> = []

    /// The roots of the header, at least one.
    public private(set) var roots: [CID]

    /// A map of two members, of which the first is `roots`.
    private static var headerStart: [UInt8] { [0xa2, 0x65] + "roots".utf8 }
    private static var longestHeader: Int { 64 * 1024 }
    private static var longestBlock: Int { 2 * 1024 * 1024 }
    private static var chunk: Int { 256 * 1024 }

    /// Reads the header.
    ///
    /// - Throws: ``InvalidCAR``, or the error of the source.
    public init(_ source: Source) throws {
        self.source = source
        roots = []
        guard let length = try readLength(), (1...Self.longestHeader).contains(length) else {
            throw InvalidCAR.header
        }
        // A text, too, begins with a byte that may be a length.
        guard try fill(length) || buffer.starts(with: Self.headerStart) else { throw InvalidCAR.header }
        let header = try take(length)
        guard case .map(let members)? = try? DataValue(dagCBOR: header), members.count == 2,
            members[1].value == .integer(1), members[1].name == "version", members[0].name == "roots",
            case .array(let links) = members[0].value
        else { throw InvalidCAR.header }
        var roots: [CID] = []
        for case .link(let root) in links { roots.append(root) }
        guard roots.count == links.count else { throw InvalidCAR.header }
        guard !roots.isEmpty else { throw InvalidCAR.noRoot }
        self.roots = roots
    }

    /// The next block; nil at the end.
    ///
    /// - Throws: ``InvalidCAR``, or the error of the source.
    public mutating func next() throws -> Block? {
        guard let length = try readLength() else { return nil }
        guard length > CID.length else { throw InvalidCAR.identifier }
        guard length - CID.length <= Self.longestBlock else { throw InvalidCAR.blockSize }
        let content = try take(length)
        guard let cid = CID(content.prefix(CID.length)) else { throw InvalidCAR.identifier }
        let bytes = Array(content.dropFirst(CID.length))
        guard CID(of: bytes, codec: cid.codec) == cid else { throw InvalidCAR.digest(cid) }
        return Block(cid: cid, bytes: bytes)
    }

    /// Reads a length as an unsigned LEB128; nil at the end of the file.
    private mutating func readLength() throws -> Int? {
        guard try fill(1) else { return nil }
        var (length, shift) = (UInt64(0), UInt64(0))
        while true {
            guard try fill(1), let byte = buffer.popFirst() else { throw InvalidCAR.cutShort }
            guard shift < 63 || (shift == 63 && byte <= 1) else { throw InvalidCAR.length }
            length |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 {
                guard byte != 0 || shift == 0 else { throw InvalidCAR.length }
                break
            }
            shift += 7
        }
        guard let length = Int(exactly: length) else { throw InvalidCAR.length }
        return length
    }

    private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
        guard try fill(count) else { throw InvalidCAR.cutShort }
        defer { buffer = buffer.dropFirst(count) }
        return buffer.prefix(count)
    }

    /// Reads until the buffer has so many bytes; false if the file ends before.
    private mutating func fill(_ count: Int) throws -> Bool {
        guard buffer.count < count else { return true }
        var bytes = Array(buffer)
        while bytes.count < count {
            let more = try source.read(upTo: max(Self.chunk, count - bytes.count))
            if more.isEmpty {
                buffer = bytes[...]
                return false
            }
            bytes += more
        }
        buffer = bytes[...]
        return true
    }
}

extension CARReader: Sendable where Source: Sendable {}

extension InvalidCAR: CustomStringConvertible, LocalizedError {
    /// What is wrong with the file, in plain English.
    public var description: String {
        switch self {
        case .cutShort: "the CAR file ends too early"
        case .length: "a length in the CAR file is not valid"
        case .header: "it is not a CAR file of version 1"
        case .noRoot: "the CAR file has no root"
        case .blockSize: "a block is longer than 2 MiB"
        case .identifier: "a block has an identifier that AT Protocol does not use"
        case .digest(let cid): "the content of the block \(cid) is not what its identifier says"
        }
    }

    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
