internal import ATPNetworking
internal import ATPPlatform

/// The body of a request, which can be sent on while it arrives, and again from its beginning.
struct IncomingBody: RequestBodySource {
    let length: Int64?
    let spool: ArrivingSpool

    func open(wake: @escaping @Sendable () -> Void) -> any RequestBodyReader {
        Reader(spool: spool, wake: wake)
    }

    private struct Reader: RequestBodyReader {
        let spool: ArrivingSpool
        let wake: @Sendable () -> Void
        var position: Int64 = 0

        mutating func read(upTo count: Int, into room: inout MutableRawSpan) throws -> Int? {
            switch try spool.read(at: position, upTo: count, into: &room, wake: wake) {
            case .bytes(let count):
                position += Int64(count)
                return count
            case .later: return nil
            case .end: return 0
            }
        }
    }
}
