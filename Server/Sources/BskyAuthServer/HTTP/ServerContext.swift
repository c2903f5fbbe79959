internal import Hummingbird
internal import NIOCore

/// What a request has besides its head and body.
struct ServerContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The address of the socket: the client's or a proxy's.
    let peer: ClientAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        peer = source.channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
    }
}

extension Request {
    /// The client's address. `X-Forwarded-For` counts only from a trusted proxy, and only as far as proxies wrote it.
    func client(_ context: ServerContext, trusting proxies: [ClientAddress]) -> ClientAddress? {
        guard var client = context.peer else { return nil }
        let forwarded = headers[values: .forwardedFor].flatMap { $0.split(separator: ",") }
        for text in forwarded.reversed() {
            guard proxies.contains(client) else { break }
            guard let address = ClientAddress(String(text.trimming(" \t"))) else { break }
            client = address
        }
        return client
    }
}

extension Substring {
    fileprivate func trimming(_ characters: String) -> Substring {
        var text = self
        while let first = text.first, characters.contains(first) { text.removeFirst() }
        while let last = text.last, characters.contains(last) { text.removeLast() }
        return text
    }
}
