internal import ATPNetworking
package import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The rate limit in the header of a response (protocol:XRPC-errors).
package struct RateLimit: Sendable, Hashable {
    /// How many requests a window allows.
    package let limit: Int?
    /// How many requests are left in the window.
    package let remaining: Int?
    /// When the window ends, in seconds since 1970 by the server's clock.
    package let reset: Int64?
    /// `Retry-After` in seconds after the response (RFC 9110 §10.2.3). A date counts only if the response has a
    /// date too.
    package let retryAfter: Int64?

    /// Reads `RateLimit-*` and `Retry-After`. Nil if the response has neither.
    package init?(headerFields: HTTPFields) {
        func number(_ name: HTTPField.Name?) -> Int64? {
            name.flatMap { headerFields.onlyValue(of: $0) }.flatMap { Int64($0) }.flatMap {
                $0 < 0 ? nil : $0
            }
        }
        limit = number(.init("RateLimit-Limit")).map(Int.init(clamping:))
        remaining = number(.init("RateLimit-Remaining")).map(Int.init(clamping:))
        reset = number(.init("RateLimit-Reset")).map { Self.end($0, headerFields) }
        retryAfter = number(.retryAfter) ?? Self.secondsToDate(headerFields)
        if limit == nil, remaining == nil, reset == nil, retryAfter == nil { return nil }
    }

    /// How long to wait: `Retry-After`, else the rest of the window. Nil if neither is known.
    ///
    /// - Parameter now: seconds since 1970, by the server's clock if that is known.
    package func wait(from now: Int64) -> Duration? {
        if let retryAfter { return .seconds(retryAfter) }
        return reset.map { .seconds(max(0, $0 - now)) }
    }

    /// The end of a window, in seconds since 1970. Bluesky's servers say exactly that. Others say how many seconds are left
    /// (draft-ietf-httpapi-ratelimit-headers), or milliseconds since 1970.
    private static func end(_ value: Int64, _ headerFields: HTTPFields) -> Int64 {
        // The years until 2001 as seconds, and those after 5138.
        if value < 1_000_000_000 {
            return value + (headerFields.serverTime ?? Int64(Date().timeIntervalSince1970))
        }
        return value >= 100_000_000_000 ? value / 1000 : value
    }

    private static func secondsToDate(_ headerFields: HTTPFields) -> Int64? {
        guard let date = headerFields.onlyValue(of: .retryAfter).flatMap(HTTPDate.seconds(in:)),
            let made = headerFields.serverTime
        else { return nil }
        return max(0, date - made)
    }
}
