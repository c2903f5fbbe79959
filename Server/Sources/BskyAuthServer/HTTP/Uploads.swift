internal import ATPNetworking
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// Receives the bodies of calls. A call may be sent again, so its body is kept until then: a short one in memory, a longer one in
/// a file without a name.
final class Uploads: Sendable {
    typealias Body = ATPNetworking.RequestBody

    private let folder: String
    private let longest: Int
    /// Long bodies take room on the disk.
    private let slots: Slots<UUID>

    /// The longest body that is kept in memory.
    private static let longestInMemory = 64 * 1024
    /// The most long bodies of one session.
    private static let mostOfSession = 4
    /// How long a body may take to arrive if it is short, and if it is longer or has no length.
    private static let shortTime = Duration.seconds(30), longTime = Duration.seconds(300)

    /// - Parameters:
    ///   - folder: where long bodies are kept while they are needed.
    ///   - longest: the most bytes of a body.
    ///   - most: the most long bodies at the same time.
    init(in folder: String, longest: Int, most: Int) {
        self.folder = folder
        self.longest = longest
        slots = Slots(most, ofEach: Self.mostOfSession)
    }

    /// A body that has arrived.
    struct Upload: Sendable {
        let body: Body
        fileprivate var file: BodyFile?

        /// Gives back the room of the body, which can't be sent any more.
        func end() { file?.end() }
    }

    /// Receives the whole body of a request.
    ///
    /// - Parameter session: the session of the request. One session can't take all slots.
    func receive(_ request: Request, of session: UUID) async throws -> Upload {
        guard request.hasBody else { return Upload(body: .none) }
        let length = request.bodyLength
        if let length, length > longest { throw tooLarge }
        let isShort = length.map { $0 <= Self.longestInMemory } ?? false
        do {
            return try await withLimit(isShort ? Self.shortTime : Self.longTime) {
                [self, body = request.body] in
                // Writing to a file may wait for the disk, and must not keep the thread from its other connections.
                let upload =
                    isShort
                    ? try await receive(body, of: session)
                    : try await withTaskExecutorPreference(globalConcurrentExecutor) {
                        try await receive(body, of: session)
                    }
                // The sequence also ends when the task is cancelled.
                guard !Task.isCancelled, length == nil || length == upload.body.length.map(Int.init) else {
                    throw Problem.brokenBody
                }
                return upload
            }
        } catch is LimitReached {
            throw Problem.slowBody
        }
    }

    private func receive(_ body: Hummingbird.RequestBody, of session: UUID) async throws -> Upload {
        var bytes: [UInt8] = []
        var file: BodyFile?
        var pieces = body.makeAsyncIterator()
        while true {
            let next: ByteBuffer?
            do { next = try await pieces.next() } catch { throw Problem.brokenBody }
            guard let piece = next else { break }
            guard (file?.length ?? bytes.count) + piece.readableBytes <= longest else { throw tooLarge }
            if file == nil, bytes.count + piece.readableBytes > Self.longestInMemory {
                guard let slot = slots.take(for: session) else { throw tooMany }
                let new = try BodyFile(in: folder, slot)
                try new.append(bytes)
                (file, bytes) = (new, [])
            }
            if let file {
                try file.append(Array(piece.readableBytesView))
            } else {
                bytes += piece.readableBytesView
            }
        }
        if let file {
            return Upload(body: .stream(SavedBody(file: file, length: Int64(file.length))), file: file)
        }
        return Upload(body: bytes.isEmpty ? .none : .bytes(bytes))
    }

    private var tooMany: Problem {
        Problem(
            .serviceUnavailable, "too_many_uploads", "Too many uploads run now. Try again in a moment.",
            retryAfter: 5)
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
