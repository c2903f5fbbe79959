internal import ATPNetworking
internal import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Passes what URLSession reports to the exchange. It refuses redirects and offers no credentials.
final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let exchange: SessionExchange

    init(_ exchange: SessionExchange) {
        self.exchange = exchange
    }

    func urlSession(
        _: URLSession, task _: URLSessionTask, willPerformHTTPRedirection _: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    func urlSession(
        _: URLSession, task _: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // Foundation on Linux has no such challenge, and makes the constant of this name unavailable.
        let isCertificate =
            challenge.protectionSpace.authenticationMethod == "NSURLAuthenticationMethodServerTrust"
        #if canImport(FoundationNetworking)
            // The whole answer has come. Rejecting the challenge would make an error of it.
            exchange.end(.complete)
        #endif
        completionHandler(isCertificate ? .performDefaultHandling : .rejectProtectionSpace, nil)
    }

    func urlSession(
        _: URLSession, dataTask _: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        // Foundation on Linux reports interim heads too.
        if let response = response as? HTTPURLResponse, response.statusCode >= 200 {
            exchange.deliverHead(status: response.statusCode, fields: HTTPFields(response))
        }
        completionHandler(.allow)
    }

    func urlSession(_: URLSession, dataTask task: URLSessionDataTask, didReceive data: Data) {
        if !data.isEmpty, !exchange.deliver(Array(data)) { task.cancel() }
    }

    func urlSession(_: URLSession, task _: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchange.end(error.map { .failed(exchange.failure($0)) } ?? .complete)
    }
}

extension HTTPFields {
    /// The fields of a response. URLSession has decoded the body, so the fields of an encoded body are left out.
    fileprivate init(_ response: HTTPURLResponse) {
        self.init()
        for case (let name, let value) as (String, String) in response.allHeaderFields {
            guard count < 1000, let name = HTTPField.Name(name) else { continue }
            append(HTTPField(name: name, value: value))
        }
        guard contains(.contentEncoding) else { return }
        (self[.contentEncoding], self[.contentLength]) = (nil, nil)
    }
}
