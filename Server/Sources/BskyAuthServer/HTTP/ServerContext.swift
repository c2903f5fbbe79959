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
