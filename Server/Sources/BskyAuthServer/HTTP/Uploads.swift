internal import ATPNetworking
internal import FoundationEssentials
internal import Glibc
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import Synchronization

/// Receives the bodies of calls. A call may be sent again, so its body is kept until then: a short one in memory, a longer one in
/// a file without a name.
final class Uploads: Sendable {
    typealias Body = ATPNetworking.RequestBody

    private let folder: String
    private let longest: Int
    private let most: Int
    private let running = Mutex(0)

    /// The longest body that is kept in memory.
    private static let longestInMemory = 64 * 1024
    /// How long a body may take to arrive.
    private static let time = Duration.seconds(300)

    /// - Parameters:
    ///   - folder: where long bodies are kept while they are needed.
    ///   - longest: the most bytes of a body.
    ///   - most: the most bodies that arrive at the same time.
    init(in folder: String, longest: Int, most: Int) {
        self.folder = folder
        self.longest = longest
        self.most = most
    }

    /// The whole body of a request.
    func body(of request: Request) async throws -> Body {
        guard request.hasBody else { return .none }
        if let length = request.bodyLength, length > longest { throw tooLarge }
        try enter()
        defer { running.withLock { $0 -= 1 } }
        do {
            return try await withLimit(Self.time) { [self, body = request.body] in try await receive(body) }
        } catch is LimitReached {
            throw Problem.slowBody
        }
    }

    private func enter() throws {
        try running.withLock { count in
            guard count < most else {
                throw Problem(
                    .serviceUnavailable, "too_many_uploads",
                    "Too many uploads arrive now. Try again in a moment.",
                    retryAfter: 5)
            }
            count += 1
        }
    }

    private func receive(_ body: Hummingbird.RequestBody) async throws -> Body {
        var bytes: [UInt8] = []
        var file: UnnamedFile?
        var pieces = body.makeAsyncIterator()
        while true {
            let next: ByteBuffer?
            do { next = try await pieces.next() } catch { throw Problem.brokenBody }
            guard let piece = next else { break }
            guard (file?.length ?? bytes.count) + piece.readableBytes <= longest else { throw tooLarge }
            if file == nil, bytes.count + piece.readableBytes > Self.longestInMemory {
                let new = try UnnamedFile(in: folder)
                try new.append(bytes)
                (file, bytes) = (new, [])
            }
            if let file {
                try file.append(Array(piece.readableBytesView))
            } else {
                bytes += piece.readableBytesView
            }
        }
        if let file { return .stream(SavedBody(file: file, length: Int64(file.length))) }
        return bytes.isEmpty ? .none : .bytes(bytes)
    }

    private var tooLarge: Problem {
        Problem(.contentTooLarge, "too_large", "The body has more than \(longest) bytes. Send a shorter one.")
    }
}

extension Request {
    /// The length that the head announces.
    fileprivate var bodyLength: Int? { headers[.contentLength].flatMap(Int.init) }

    /// Whether the head announces a body.
    var hasBody: Bool { headers[.transferEncoding] != nil || bodyLength ?? 0 > 0 }
}

/// A file that only this process can reach, and that ends with it.
private final class UnnamedFile: Sendable {
    private let descriptor: CInt
    private let size = Mutex(0)

    init(in folder: String) throws {
        let path = "\(folder)/body-\(UUID().uuidString)"
        descriptor = unsafe open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileProblem(number: errno) }
        guard unsafe unlink(path) == 0 else { throw FileProblem(number: errno) }
    }

    deinit { close(descriptor) }

    var length: Int { size.withLock { $0 } }

    func append(_ bytes: [UInt8]) throws {
        try size.withLock { size in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe pwrite(descriptor, $0.baseAddress, $0.count, off_t(size))
                }
                guard count > 0 else { throw FileProblem(number: errno) }
                size += count
                rest = rest.dropFirst(count)
            }
        }
    }

    func read(at position: Int64, upTo count: Int, into room: inout MutableRawSpan) throws -> Int {
        let read = unsafe room.withUnsafeMutableBytes {
            unsafe pread(descriptor, $0.baseAddress, min(count, $0.count), off_t(position))
        }
        guard read >= 0 else { throw FileProblem(number: errno) }
        return read
    }
}

/// Why a body could not be kept.
private struct FileProblem: Error, CustomStringConvertible {
    let number: CInt

    var description: String { unsafe "a body could not be kept: \(String(cString: strerror(number)))" }
}

/// A body in a file, which can be sent any number of times.
private struct SavedBody: RequestBodySource {
    let file: UnnamedFile
    let length: Int64?

    func open(wake: @escaping @Sendable () -> Void) -> any RequestBodyReader { Reader(file: file) }

    private struct Reader: RequestBodyReader {
        let file: UnnamedFile
        var position: Int64 = 0

        mutating func read(upTo count: Int, into room: inout MutableRawSpan) throws -> Int? {
            let read = try file.read(at: position, upTo: count, into: &room)
            position += Int64(read)
            return read
        }
    }
}
