import Foundation

/// One scope of the form `resource[:positional][?k=v&k=v]` (`protocol:S3`).
struct ScopePermission: Sendable {
    let resource: String
    private let parameters: [String: [String]]

    /// The parameter that the positional value stands for, by resource (`protocol:S4`).
    private static let positional = [
        "repo": "collection", "rpc": "lxm", "blob": "accept", "account": "attr", "identity": "attr",
        "include": "nsid",
    ]
    private static let fixed: Set = [
        "atproto", "transition:generic", "transition:email", "transition:chat.bsky",
    ]

    /// Reads a scope; `nil` when its resource type or syntax is unknown.
    init?(_ text: String) {
        if Self.fixed.contains(text) {
            resource = text
            parameters = [:]
            return
        }
        let halves = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let start = halves[0].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let resource = String(start[0])
        guard let name = Self.positional[resource] else { return nil }
        var parameters: [String: [String]] = [:]
        if start.count > 1 {
            guard !start[1].isEmpty, let value = start[1].removingPercentEncoding else { return nil }
            parameters[name] = [value]
        }
        if halves.count > 1 {
            for field in FormBody(urlencoded: halves[1]).fields {
                if field.name == name, start.count > 1 { return nil }
                parameters[field.name, default: []].append(field.value)
            }
        }
        guard parameters[name]?.isEmpty == false else { return nil }
        guard Self.isWellFormed(resource, parameters) else { return nil }
        self.resource = resource
        self.parameters = parameters
    }

    func values(_ name: String) -> [String] { parameters[name] ?? [] }

    func covers(_ name: String, _ value: String) -> Bool { values(name).contains(value) }

    private static func isWellFormed(_ resource: String, _ parameters: [String: [String]]) -> Bool {
        switch resource {
        case "repo":
            return (parameters["action"] ?? []).allSatisfy { ["create", "update", "delete"].contains($0) }
                && (parameters["collection"] ?? []).allSatisfy { $0 == "*" || isMethodName($0) }
        case "rpc":
            guard let audiences = parameters["aud"], audiences.count == 1, let methods = parameters["lxm"]
            else { return false }
            guard methods.allSatisfy({ $0 == "*" || isMethodName($0) }) else { return false }
            return audiences[0] == "*" ? !methods.contains("*") : audiences[0].contains("#")
        case "blob":
            return (parameters["accept"] ?? []).allSatisfy { $0.split(separator: "/").count == 2 }
        case "account":
            return (parameters["attr"] ?? []).allSatisfy { ["email", "repo", "status"].contains($0) }
        case "identity":
            return (parameters["attr"] ?? []).allSatisfy { ["handle", "*"].contains($0) }
        default:
            return (parameters["nsid"] ?? []).allSatisfy(isMethodName)
        }
    }

    private static func isMethodName(_ text: String) -> Bool {
        text.split(separator: ".", omittingEmptySubsequences: false).count >= 3
            && text.utf8.allSatisfy {
                $0.isASCIIAlphanumeric || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-")
            }
    }
}

extension UInt8 {
    /// Whether the byte is an ASCII letter or digit.
    var isASCIIAlphanumeric: Bool {
        switch self {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
