internal import NIOHTTP1

/// Which requests are the redirect that is waited for, and what the others are told.
struct RequestRules: Sendable {
    /// What becomes of a request.
    enum Verdict: Equatable {
        case answer(RedirectRequest)
        case refuse(status: Int)
    }

    /// The path of the redirect URI.
    let path: String
    /// The port of the redirect URI.
    let port: Int

    /// Whether a request with these `Host` fields is for the address of the redirect URI. A page that had
    /// another name resolve to this machine (DNS rebinding) can't say it, and neither can `localhost`.
    func isAddressed(by hosts: [String]) -> Bool {
        // Port 80 is the one that browsers leave out (RFC 9110 §4.2.1).
        hosts == ["127.0.0.1:\(port)"] || (port == 80 && hosts == ["127.0.0.1"])
    }

    /// Judges a request by its head alone: the redirect has no body.
    func verdict(on head: HTTPRequestHead) -> Verdict {
        let fields = head.headers
        guard head.uri.utf8.count <= Limits.requestTarget, isAddressed(by: fields["Host"]),
            fields["Transfer-Encoding"].isEmpty, fields["Content-Length"].allSatisfy({ $0 == "0" })
        else { return .refuse(status: 400) }
        let requestedPath = head.uri.prefix { $0 != "?" }
        guard requestedPath == path else { return .refuse(status: 404) }
        // HEAD is a browser or a link checker trying the address out; the code must not be used up by it.
        guard head.method == .GET else { return .refuse(status: 405) }
        return .answer(RedirectRequest(query: String(head.uri.dropFirst(requestedPath.count + 1))))
    }
}
