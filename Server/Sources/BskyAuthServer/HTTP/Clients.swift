internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import Synchronization

/// Who has sent a request.
enum Client: Sendable, Equatable, CustomStringConvertible {
    case address(ClientAddress)
    /// A trusted proxy has sent the request, but does not name its client in a way that can be read. All such clients share their
    /// limits.
    case unknown

    /// What limits count by.
    var network: [UInt8] {
        switch self {
        case .address(let address): address.network
        case .unknown: []
        }
    }

    var description: String {
        switch self {
        case .address(let address): address.description
        case .unknown: "unknown"
        }
    }

    /// Finds the client behind the proxies that are trusted. `X-Forwarded-For` counts only from such a proxy, and from the right: the
    /// last element is what this proxy wrote, and the client may have written those on the left.
    ///
    /// - Parameters:
    ///   - peer: the address of the connection.
    ///   - forwarded: the values of `X-Forwarded-For`.
    init(_ peer: ClientAddress?, _ forwarded: [String], trusting proxies: [ClientAddress]) {
        guard var client = peer else {
            self = .unknown
            return
        }
        let elements = forwarded.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
        for element in elements.reversed() where proxies.contains(client) {
            // What is left of an element that can't be read is not from a proxy that is known.
            guard let address = ClientAddress(forwarded: element) else {
                self = .unknown
                return
            }
            client = address
        }
        self = .address(client)
    }
}

/// Tells the clients of requests apart, and tells the operator if a proxy does not let it.
final class Clients: Sendable {
    private let proxies: [ClientAddress]
    private let metrics: Metrics
    private let log: Logger
    private let isTold = Mutex(false)

    /// - Parameter proxies: the proxies whose `X-Forwarded-For` counts.
    init(trusting proxies: [ClientAddress], metrics: Metrics, log: Logger) {
        self.proxies = proxies
        self.metrics = metrics
        self.log = log
    }

    func client(of request: Request, _ context: ServerContext) -> Client {
        let client = Client(context.peer, request.headers[values: .forwardedFor], trusting: proxies)
        if client == .unknown {
            metrics.add(to: .unknownClients)
            let isFirst = isTold.withLock { isTold in
                defer { isTold = true }
                return !isTold
            }
            if isFirst {
                log.warning(
                    """
                    the proxy \(context.peer?.description ?? "without an address") sent an X-Forwarded-For that can't be read. All clients \
                    without an address share one limit of logins. Have the proxy write the client's IP address, as \
                    Server/README.md shows.
                    """)
            }
        }
        return client
    }
}
