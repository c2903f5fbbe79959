internal import ATProto
internal import Networking
internal import Platform

/// A body that the user names. It is sent from its file, or spooled first, so that it can be sent again after a
/// challenge or a refresh.
struct BodyInput: RequestBodySource {
    private let spool: Spool

    /// - Parameter path: a file, or `-` for standard input.
    init(_ path: String) throws {
        do {
            spool = try Spool(path)
        } catch let error {
            throw Failure.unreadable(path, error, hint: "bskyauth call NSID --input FILE")
        }
    }

    var length: Int64? { spool.length }

    func open() -> any RequestBodyReader {
        Reader(spool: spool)
    }

    private struct Reader: RequestBodyReader {
        let spool: Spool
        var position: Int64 = 0

        mutating func read(upTo count: Int, into room: inout MutableRawSpan) throws -> Int {
            let count = try spool.read(at: position, upTo: count, into: &room)
            position += Int64(count)
            return count
        }
    }

    /// The media type by the file name, if it is well known; otherwise the type that the method takes.
    static func mediaType(of path: String, for method: NSID) -> String {
        let ending = path.split(separator: "/").last?.split(separator: ".").dropFirst().last ?? ""
        return switch ending.lowercased() {
        case "png": "image/png"
        case "jpg", "jpeg": "image/jpeg"
        case "gif": "image/gif"
        case "webp": "image/webp"
        case "mp4": "video/mp4"
        case "txt": "text/plain"
        case "car": "application/vnd.ipld.car"
        case "json": "application/json"
        case "": otherInputs[method.description] ?? "application/json"
        default: "application/octet-stream"
        }
    }

    /// The methods of the public lexicons that take something other than JSON.
    static let otherInputs = [
        "com.atproto.repo.importRepo": "application/vnd.ipld.car",
        "com.atproto.repo.uploadBlob": "application/octet-stream",
        "app.bsky.video.uploadPart": "application/octet-stream",
        "app.bsky.video.uploadVideo": "video/mp4",
    ]
}
