internal import ATPNetworking
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension SessionExchange {
    /// The meaning of URLSession's error.
    ///
    /// Only a name without an address proves that nothing was sent. On Linux, URLSession reports a refused connection also
    /// when the first address of a name refused, the second one took the request, and the answer was lost.
    func failure(_ error: any Error) -> TransportError {
        let detail = error.localizedDescription
        let code = (error as? URLError).map { TransportError.Code($0.code, detail) } ?? .connectionLost
        return self.error(code, requestWasSent: code != .nameNotResolved, detail: detail)
    }
}

extension TransportError.Code {
    /// - Parameter detail: libcurl's message. On Linux it is the only sign of an untrusted certificate.
    fileprivate init(_ code: URLError.Code, _ detail: String) {
        switch code {
        case .cannotFindHost, .dnsLookupFailed: self = .nameNotResolved
        case .cannotConnectToHost, .notConnectedToInternet: self = .notConnected
        case .timedOut: self = .timedOut
        case .cancelled: self = .cancelled
        case .badURL: self = .unavailable
        case .secureConnectionFailed: self = .handshakeFailed
        case .serverCertificateUntrusted, .serverCertificateHasBadDate, .serverCertificateNotYetValid,
            .serverCertificateHasUnknownRoot:
            self = .untrusted
        default: self = detail.contains("certificate") ? .untrusted : .connectionLost
        }
    }
}
