internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoRecordProof
internal import ATProtoSessions
internal import OAuthDPoP

/// The CAR file of a repository, which can be read from its beginning any number of times.
struct RepositoryFile {
    private let read: @Sendable (Int64, Int, inout MutableRawSpan) throws -> Int

    /// - Parameter path: a file or a descriptor.
    init(_ path: String) throws {
        let spool: Spool
        do { spool = try Spool(path) } catch let error where error.isOfCopy {
            throw Self.notKept(error)
        } catch let error { throw Failure.unreadable(path, error, hint: Self.hint) }
        read = { position, count, room in
            do throws(SystemError) {
                return try spool.read(at: position, upTo: count, into: &room)
            } catch { throw Failure.unreadable(path, error, hint: Self.hint) }
        }
    }

    /// Receives a file, of any length, and keeps it in a nameless file.
    init(_ response: TransportResponse, showing line: ProgressLine) async throws {
        let spool = ArrivingSpool(in: SpoolRoom(bytes: .max))
        let progress = TransferProgress(
            "receiving", total: response.headerFields.bodyLength, on: line)
        defer { progress.end() }
        var (chunks, count) = (response.body.makeAsyncIterator(), Int64(0))
        var beginning: [UInt8]? = []
        while let chunk = try await chunks.next() {
            do { try spool.append(chunk) } catch { throw Self.failure(error) }
            count += Int64(chunk.count)
            progress.show(count)
            beginning? += chunk
            // What is no CAR file is not received to its end.
            if let start = beginning, start.count > Self.longestHeader {
                do { _ = try CARReader(CARBytes(start)) } catch let error as InvalidCAR {
                    throw RecordVerificationError.notProven(.car(error))
                }
                beginning = nil
            }
        }
        spool.finish()
        read = { position, count, room in
            do throws(ArrivingSpool.Problem) {
                guard case .bytes(let got) = try spool.read(at: position, upTo: count, into: &room, wake: {})
                else { return 0 }
                return got
            } catch { throw Self.failure(error) }
        }
    }

    /// Whether there is not one byte.
    var isEmpty: Bool {
        get throws {
            var source = open()
            return try source.read(upTo: 1).isEmpty
        }
    }

    /// Opens the file at its beginning.
    func open() -> some CARSource { Source(read: read) }

    private struct Source: CARSource {
        let read: @Sendable (Int64, Int, inout MutableRawSpan) throws -> Int
        var position: Int64 = 0

        mutating func read(upTo limit: Int) throws -> [UInt8] {
            var bytes = [UInt8](repeating: 0, count: limit)
            var span = bytes.mutableSpan
            var room = unsafe span.mutableBytes
            let got = try read(position, limit, &room)
            position += Int64(got)
            bytes.removeLast(limit - got)
            return bytes
        }
    }

    /// A header may have 64 KiB.
    private static let longestHeader = 70_000
    private static let hint = "bskyauth help verify"

    private static func failure(_ problem: ArrivingSpool.Problem) -> Failure {
        guard case .system(let error) = problem else { return notKept("") }
        return notKept(error)
    }

    private static func notKept(_ error: SystemError) -> Failure {
        notKept(" in \(error.path.escapedForTerminal): \(error.reason)")
    }

    private static func notKept(_ details: String) -> Failure {
        Failure(
            .failure, "temporary_file", "a copy of the repository can't be kept\(details)",
            hint: "name a directory with room for the repository:  export TMPDIR=DIR")
    }
}
