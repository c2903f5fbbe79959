internal import Networking
internal import Synchronization

/// A body that has been read already.
final class CollectedBody: ResponseBodySource {
    private let rest: Mutex<[UInt8]>

    init(_ bytes: [UInt8]) {
        rest = Mutex(bytes)
    }

    func next() async throws(TransportError) -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = [] }
            return rest.isEmpty ? nil : rest
        }
    }

    func cancel() {
        rest.withLock { $0 = [] }
    }
}
