internal import ATPNetworking
internal import Dispatch
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The session and the task of one exchange. A new session has no older connection on which a request could be lost.
final class SessionTransfer: Sendable {
    private let exchange: SessionExchange
    private let session: URLSession
    private let task: URLSessionDataTask

    /// nil if URLSession would change the URL.
    init?(_ exchange: SessionExchange, userAgent: String) {
        guard let request = URLRequest(exchange.request, userAgent: userAgent) else { return nil }
        self.exchange = exchange
        session = URLSession(
            configuration: .bare, delegate: SessionDelegate(exchange), delegateQueue: nil)
        task = session.dataTask(with: request)
    }

    /// Starts the exchange, which ends when its total time is over.
    func start() {
        task.resume()
        session.finishTasksAndInvalidate()
        guard let total = exchange.request.timeouts.total else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + total.seconds) { [weak self] in
            self?.end(.timedOut)
        }
    }

    /// Ends the exchange and its connection.
    func cancel() {
        end(.cancelled)
    }

    private func end(_ code: TransportError.Code) {
        guard exchange.stop(code) else { return }
        // `cancel()` waits for URLSession's queue, so it must not run on the caller's thread.
        DispatchQueue.global().async { [task] in task.cancel() }
    }
}

extension URLSessionConfiguration {
    /// No cookies, no credentials, no cache, no proxy of the system, and no time limit of its own.
    fileprivate static var bare: URLSessionConfiguration {
        let bare = URLSessionConfiguration.ephemeral
        bare.httpCookieStorage = nil
        bare.httpCookieAcceptPolicy = .never
        bare.httpShouldSetCookies = false
        bare.urlCredentialStorage = nil
        bare.urlCache = nil
        bare.connectionProxyDictionary = [:]
        bare.timeoutIntervalForResource = URLRequest.longest
        return bare
    }
}

extension Duration {
    /// The length in seconds.
    var seconds: Double { self / .seconds(1) }
}
