internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoIdentity

/// A body that the user names. It is sent from its file, or spooled first, so that it can be sent again after a
/// challenge or a refresh.
struct BodyInput: RequestBodySource {
    private let spool: Spool

    /// - Parameter path: a file or a descriptor.
    init(_ path: String) throws {
        do {
            spool = try Spool(path)
        } catch let error where error.isOfCopy {
            throw Failure(
                .failure, "temporary_file",
                "a copy of the body can't be kept in \(error.path.escapedForTerminal): \(error.reason)",
                hint: "name a directory with room for the body:  export TMPDIR=DIR")
        } catch let error {
            throw Failure.unreadable(
                path, error,
                hint: Failure.pathHint(path, option: "--input ") ?? "bskyauth call NSID --input FILE")
        }
    }

    var length: Int64? { spool.length }

    func open(wake: @escaping @Sendable () -> Void) -> any RequestBodyReader {
        Reader(spool: spool)
    }

    private struct Reader: RequestBodyReader {
        let spool: Spool
        var position: Int64 = 0

        mutating func read(upTo count: Int, into room: inout MutableRawSpan) throws -> Int? {
            let count = try spool.read(at: position, upTo: count, into: &room)
            position += Int64(count)
            return count
        }
    }

    /// The media type by the file name, if it is well known; otherwise the type that the method takes; otherwise the type
    /// of the content.
    func mediaType(of path: String, for method: NSID) -> String {
        let type = Self.mediaType(of: path, for: method)
        guard type == Self.anyBytes else { return type }
        return (try? spool.beginning(12)).flatMap(Self.mediaType(ofContent:)) ?? type
    }

    static func mediaType(of path: String, for method: NSID) -> String {
        let ending = path.split(separator: "/").last?.split(separator: ".").dropFirst().last ?? ""
        return switch ending.lowercased() {
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "gif": "image/gif"
        case "webp": "image/webp"
        case "avif": "image/avif"
        case "heic": "image/heic"
        case "mp4": "video/mp4"
        case "mov": "video/quicktime"
        case "webm": "video/webm"
        case "mpeg": "video/mpeg"
        case "vtt": "text/vtt"
        case "txt": "text/plain"
        case "car": "application/vnd.ipld.car"
        case "json": "application/json"
        case "": otherInputs[method.description] ?? "application/json"
        default: anyBytes
        }
    }

    /// The media type that the first twelve bytes tell; nil for other content.
    static func mediaType(ofContent start: [UInt8]) -> String? {
        if start.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) { return "image/png" }
        if start.starts(with: [0xff, 0xd8, 0xff]) { return "image/jpeg" }
        if start.starts(with: "GIF8".utf8) { return "image/gif" }
        let kind = String(decoding: start.dropFirst(8), as: UTF8.self)
        if start.starts(with: "RIFF".utf8), kind == "WEBP" { return "image/webp" }
        guard start.dropFirst(4).starts(with: "ftyp".utf8) else { return nil }
        return switch kind {
        case "avif", "avis": "image/avif"
        case "heic", "heix", "mif1": "image/heic"
        case "qt  ": "video/quicktime"
        default: "video/mp4"
        }
    }

    private static let anyBytes = "application/octet-stream"

    /// The methods of the public lexicons that take something other than JSON.
    static let otherInputs = [
        "com.atproto.repo.importRepo": "application/vnd.ipld.car",
        "com.atproto.repo.uploadBlob": "application/octet-stream",
        "app.bsky.video.uploadPart": "application/octet-stream",
        "app.bsky.video.uploadVideo": "video/mp4",
    ]
}
