import Foundation

/// A permission set, and what a server grants for it (atproto.com/specs/permission).
struct PermissionSet: Sendable, Decodable {
    let title: String?
    private let permissions: [Entry]

    /// A permission. A server ignores one that has a member which it does not know.
    private struct Entry: Decodable, Sendable {
        let scope: @Sendable (_ set: String, _ audience: String?) -> String?

        private struct Name: CodingKey {
            let stringValue: String
            let intValue: Int? = nil
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Name.self)
            func list(_ name: String) -> [String]? {
                (try? members.decodeIfPresent([String].self, forKey: Name(stringValue: name))) ?? nil
            }
            let resource = try members.decode(String.self, forKey: Name(stringValue: "resource"))
            let known: Set = ["type", "resource"]
            let present = Set(members.allKeys.map(\.stringValue)).subtracting(known)
            switch resource {
            case "rpc":
                let methods = list("lxm") ?? []
                let inherits = try? members.decode(Bool.self, forKey: Name(stringValue: "inheritAud"))
                let fixed = try? members.decode(String.self, forKey: Name(stringValue: "aud"))
                scope = { set, audience in
                    let aud: String
                    switch (inherits, fixed) {
                    case (true?, nil): guard let audience else { return nil }; aud = audience
                    case (nil, "*"?): aud = "*"
                    default: return nil
                    }
                    guard present.isSubset(of: ["lxm", "aud", "inheritAud"]), Self.isOwn(methods, of: set)
                    else { return nil }
                    return Self.text("rpc", "lxm", methods, [("aud", aud.replacing("#", with: "%23"))])
                }
            case "repo":
                let (collections, actions) = (list("collection") ?? [], list("action"))
                scope = { set, _ in
                    guard present.isSubset(of: ["collection", "action"]), Self.isOwn(collections, of: set),
                        (actions ?? ["create"]).allSatisfy(["create", "update", "delete"].contains)
                    else { return nil }
                    return Self.text(
                        "repo", "collection", collections, (actions ?? []).map { ("action", $0) })
                }
            default: scope = { _, _ in nil }
            }
        }

        /// Whether all names are in the group of the set.
        private static func isOwn(_ names: [String], of set: String) -> Bool {
            let group = set.split(separator: ".").dropLast().joined(separator: ".") + "."
            return !names.isEmpty && names.allSatisfy { $0.hasPrefix(group) }
        }

        private static func text(
            _ resource: String, _ name: String, _ values: [String], _ others: [(String, String)]
        ) -> String {
            let head = values.count == 1 ? "\(resource):\(values[0])" : resource
            let fields = (values.count == 1 ? [] : values.map { (name, $0) }) + others
            return fields.isEmpty ? head : "\(head)?" + fields.map { "\($0)=\($1)" }.joined(separator: "&")
        }
    }

    /// The scopes that a server puts in the place of `include:SET?aud=AUDIENCE`.
    func scopes(of set: String, audience: String?) -> [String] {
        permissions.compactMap { $0.scope(set, audience) }
    }

    /// The published sets by name.
    static let all: [String: PermissionSet] = {
        var sets: [String: PermissionSet] = [:]
        for line in published.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 1)
            sets[String(parts[0])] = try? JSONDecoder().decode(PermissionSet.self, from: Data(parts[1].utf8))
        }
        return sets
    }()
}
