import Foundation

/// A client_id that is the URL of its document (OT oauth-client-id-discoverable.ts; `protocol:L12`).
struct HostedClientID: Sendable {
    let url: String

    /// Returns `nil` unless the text is an https URL in canonical form, with a host name and a path.
    init?(_ text: String) {
        guard text.hasPrefix("https://"), let parts = URLComponents(string: text), parts.user == nil,
            parts.password == nil, parts.fragment == nil, parts.port != 443, let host = parts.host,
            Self.isName(host), Self.isCanonical(path: parts.percentEncodedPath)
        else { return nil }
        url = text
    }

    /// Two labels at least, in lower case, and no address.
    private static func isName(_ host: String) -> Bool {
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isPlain = host.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "."):
                true
            default: false
            }
        }
        return isPlain && labels.count > 1 && !labels.contains("") && labels.last?.first?.isNumber == false
    }

    /// A path that a URL parser leaves as it is: no dot segments, no empty end.
    private static func isCanonical(path: String) -> Bool {
        let segments = path.lowercased().replacing("%2e", with: ".").split(
            separator: "/", omittingEmptySubsequences: false)
        return segments.count > 1 && segments.last != "" && !segments.contains(".")
            && !segments.contains("..")
    }
}
