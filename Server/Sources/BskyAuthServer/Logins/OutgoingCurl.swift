internal import ATPNetworking
internal import ATProtoCurl
internal import FoundationEssentials

/// Makes the transports of the server, which all trust the same authorities.
enum OutgoingCurl {
    static func transport(_ policy: NetworkPolicy) -> CurlTransport {
        CurlTransport(policy: policy, userAgent: "bskyauth-server", certificates: authorities)
    }

    /// The file with the only authorities to trust, as for the curl tool; nil for those of the system.
    private static var authorities: String? {
        let environment = ProcessInfo.processInfo.environment
        return ["CURL_CA_BUNDLE", "SSL_CERT_FILE"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty }
    }

    /// The file with the authorities, if it can't be read. Without it, no server would be trusted.
    static var unreadableAuthorities: String? {
        authorities.flatMap { FileManager.default.contents(atPath: $0) == nil ? $0 : nil }
    }
}
