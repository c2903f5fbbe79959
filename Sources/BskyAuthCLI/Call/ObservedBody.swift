internal import ATPNetworking
internal import ATProtoXRPC

/// A body that reports how much of it was read. The count restarts each time that the body is sent.
struct ObservedBody: RequestBodySource {
    let body: any RequestBodySource
    let progress: TransferProgress

    /// Makes a call and shows the progress of a streaming body.
    static func observing(
        _ request: XRPCRequest, on line: ProgressLine,
        _ call: (XRPCRequest) async throws -> TransportResponse
    ) async throws -> TransportResponse {
        guard case .stream(let body) = request.body else { return try await call(request) }
        let progress = TransferProgress("sending", total: body.length, on: line)
        defer { progress.end() }
        var request = request
        request.body = .stream(ObservedBody(body: body, progress: progress))
        return try await call(request)
    }

    var length: Int64? { body.length }

    func open(wake: @escaping @Sendable () -> Void) throws -> any RequestBodyReader {
        Reader(reader: try body.open(wake: wake), progress: progress)
    }

    private struct Reader: RequestBodyReader {
        var reader: any RequestBodyReader
        let progress: TransferProgress
        var position: Int64 = 0

        mutating func read(upTo count: Int, into room: inout MutableRawSpan) throws -> Int? {
            guard let count = try reader.read(upTo: count, into: &room) else { return nil }
            position += Int64(count)
            progress.show(position)
            return count
        }
    }
}
