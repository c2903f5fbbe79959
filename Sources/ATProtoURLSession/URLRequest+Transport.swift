internal import ATPNetworking
internal import Foundation
internal import HTTPTypes

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension URLRequest {
    /// The time limit in place of none, because URLSession always has one: a week.
    static let longest: TimeInterval = 604_800

    /// nil if URLSession would send another path or query.
    init?(_ request: TransportRequest, userAgent: String) {
        let text = request.url.description
        guard !request.url.hasDotSegment, let url = URL(string: text), url.absoluteString == text else {
            return nil
        }
        // On Linux, URLSession drops fractions of a second, and zero ends a request at once.
        let idle = request.timeouts.idle.map { max(1, $0.seconds.rounded(.up)) }
        self.init(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        // On Linux, a limit given to the initializer has no effect.
        timeoutInterval = idle ?? Self.longest
        httpMethod = request.method.rawValue
        httpShouldHandleCookies = false
        let hasBody = setBody(of: request)
        setFields(request.headerFields, userAgent: userAgent, hasBody: hasBody)
    }

    /// Sets the body, which is in memory.
    ///
    /// - Returns: whether the request has a body.
    private mutating func setBody(of request: TransportRequest) -> Bool {
        guard request.method != .get, request.method != .head, case .bytes(let bytes) = request.body,
            !bytes.isEmpty
        else { return false }
        httpBody = Data(bytes)
        return true
    }

    /// Fields that only the transport may write. An encoding would be undone by URLSession.
    private static let own: Set<HTTPField.Name?> = [
        HTTPField.Name("Host"), .contentLength, .transferEncoding, .connection, .expect, .acceptEncoding,
    ]

    private mutating func setFields(_ given: HTTPFields, userAgent: String, hasBody: Bool) {
        var fields = given
        fields[.acceptLanguage] = given[.acceptLanguage] ?? "*"
        fields[.userAgent] = given[.userAgent] ?? userAgent
        if hasBody { fields[.contentType] = given[.contentType] ?? "application/octet-stream" }
        for name in Set(fields.map(\.name)) where !Self.own.contains(name) {
            let separator = name == .cookie ? "; " : ", "
            setValue(
                fields[values: name].joined(separator: separator), forHTTPHeaderField: name.canonicalName)
        }
        setValue("identity", forHTTPHeaderField: HTTPField.Name.acceptEncoding.canonicalName)
    }
}

extension HTTPURL {
    /// Whether the path has a segment `.` or `..`, also percent-encoded, which URLSession removes.
    fileprivate var hasDotSegment: Bool {
        path.lowercased().replacing("%2e", with: ".").split(separator: "/").contains {
            $0 == "." || $0 == ".."
        }
    }
}
