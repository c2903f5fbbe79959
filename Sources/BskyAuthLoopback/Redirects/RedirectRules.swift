internal import NIOHTTP1

/// Tells the expected redirect from other requests, and says how those are refused.
struct RedirectRules: Sendable {
    enum Verdict: Equatable {
        case answer(RedirectRequest)
        case refuse(status: Int)
    }

    /// The path of the redirect URI.
    let path: String
    /// The port of the redirect URI.
    let port: Int

    /// Whether these `Host` fields name the address of the redirect URI.
    ///
    /// This refuses a page whose host name resolves to this machine (DNS rebinding). It refuses `localhost` too.
    func isAddressed(by hosts: [String]) -> Bool {
        // Browsers leave out port 80 (RFC 9110 §4.2.1).
        hosts == ["127.0.0.1:\(port)"] || (port == 80 && hosts == ["127.0.0.1"])
    }

    /// Decides by the head of a request. A redirect has no body.
    func verdict(on head: HTTPRequestHead) -> Verdict {
        let fields = head.headers
        guard head.uri.utf8.count <= Limits.requestTarget, isAddressed(by: fields["Host"]),
            fields["Transfer-Encoding"].isEmpty, fields["Content-Length"].allSatisfy({ $0 == "0" })
        else { return .refuse(status: 400) }
        let requestedPath = head.uri.prefix { $0 != "?" }
        guard requestedPath == path else { return .refuse(status: 404) }
        // A browser or a link checker may try the address with HEAD, which must not use up the code.
        guard head.method == .GET else { return .refuse(status: 405) }
        return .answer(RedirectRequest(query: String(head.uri.dropFirst(requestedPath.count + 1))))
    }
}
