internal import Synchronization

/// A body that has been read already.
package final class CollectedBody: ResponseBodySource {
    private let rest: Mutex<[UInt8]>

    package init(_ bytes: [UInt8]) {
        rest = Mutex(bytes)
    }

    package func next() async throws(TransportError) -> [UInt8]? {
        rest.withLock { rest in
            defer { rest = [] }
            return rest.isEmpty ? nil : rest
        }
    }

    package func cancel() {
        rest.withLock { $0 = [] }
    }
}
