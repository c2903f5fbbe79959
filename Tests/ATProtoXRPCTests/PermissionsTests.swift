import ATProtoIdentity
import ATProtoXRPC
import BskyAuthCovers
import Testing

@Suite("Permissions") struct PermissionsTests {
    private static let view = "did:web:api.bsky.app%23bsky_appview"

    private func missing(_ granted: String, _ requested: String) -> [MissingScope] {
        func values(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
        return Permissions(values(granted)).missing(of: values(requested))
    }

    @Test(
        "names what was asked for and not granted", .covers("R48"),
        arguments: [
            ("atproto", "atproto transition:generic", "transition:generic"),
            ("atproto repo:a.b.c", "atproto repo:a.b.d", "repo:a.b.d"),
            ("atproto repo:a.b.c?action=create", "atproto repo:a.b.d", "repo:a.b.d"),
            ("atproto repo:a.b.c", "atproto repo:*", "repo:*"),
            ("atproto rpc:a.b.c?aud=did:web:x.y%23z", "rpc:a.b.c?aud=*", "rpc:a.b.c?aud=*"),
            (
                "atproto rpc:a.b.c?aud=did:web:x.y%23Z", "rpc:a.b.c?aud=did:web:x.y%23z",
                "rpc:a.b.c?aud=did:web:x.y%23z"
            ),
            ("atproto blob:image/*", "blob:*/*", "blob:*/*"),
            ("atproto account:email", "account:email?action=manage", "account:email?action=manage"),
            ("atproto identity:handle", "identity:*", "identity:*"),
            // Servers that keep the text of a set grant nothing for it.
            (
                "atproto include:app.bsky.authManageProfile", "include:app.bsky.authManageProfile",
                "include:app.bsky.authManageProfile"
            ),
            ("atproto", "include?nsid=app.bsky.authManageProfile", "include?nsid=app.bsky.authManageProfile"),
            ("atproto", "include:com.example.calendar.auth", "include:com.example.calendar.auth"),
            (
                "atproto repo:com.example.calendars.event", "include:com.example.calendar.auth",
                "include:com.example.calendar.auth"
            ),
        ])
    func names(granted: String, requested: String, value: String) {
        #expect(missing(granted, requested) == [MissingScope(value: value, parts: [])])
    }

    @Test(
        "compares by meaning", .covers("S6", "S9"),
        arguments: [
            ("atproto repo?collection=a.b.c", "repo:a.b.c atproto"),
            ("atproto repo:*", "repo:a.b.c?action=create repo:a.b.d"),
            ("atproto repo:a.b.c?action=create repo:a.b.c?action=update&action=delete", "repo:a.b.c"),
            ("atproto rpc:*?aud=did:web:x.y%23z", "rpc:a.b.c?aud=did:web:x.y%23z"),
            ("atproto rpc?lxm=a.b.c&lxm=a.b.d&aud=*", "rpc:a.b.d?aud=did:web:x.y%23z"),
            ("atproto blob:image/*", "blob:image/png"), ("atproto blob:*/*", "blob:image/*"),
            ("atproto account:email?action=manage", "account:email"),
            ("atproto identity:*", "identity:handle"),
            (
                "atproto transition:generic",
                "repo:* blob:*/* rpc:a.b.c?aud=* include:com.example.calendar.auth"
            ),
            (
                "atproto transition:email transition:chat.bsky",
                "account:email rpc:chat.bsky.convo.listConvos?aud=did:web:api.bsky.chat%23bsky_chat"
            ),
            ("atproto repo:com.example.calendar.event", "include:com.example.calendar.auth"),
            (
                "atproto repo:app.bsky.actor.profile repo:app.bsky.notification.declaration repo:app.bsky.actor.status",
                "include:app.bsky.authManageProfile"
            ),
            ("atproto", "space:com.example.forum?authority=self"),
        ])
    func meaning(granted: String, requested: String) {
        #expect(missing(granted, requested) == [])
    }

    @Test("tells what an older copy of a set lacks", .covers("S6"))
    func part() throws {
        let set = "include:app.bsky.authManageProfile"
        let found = missing(
            "atproto repo?collection=app.bsky.actor.profile&collection=app.bsky.actor.status", set)
        #expect(found.map(\.value) == [set])
        #expect(
            found.first?.parts.map(\.description)
                == ["create", "update", "delete"].map {
                    "repo:app.bsky.notification.declaration?action=\($0)"
                })
    }

    @Test("direct messages are not part of transition:generic")
    func chat() throws {
        let generic = Permissions(["atproto", "transition:generic"])
        let chat = try PermissionScope(validating: "rpc:chat.bsky.convo.listConvos?aud=*")
        #expect(!generic.cover(chat) && Permissions(["transition:chat.bsky"]).cover(chat))
        #expect(generic.cover(try PermissionScope(validating: "rpc:chat.bskyx.a.b?aud=*")))
    }

    @Test("tells what one grant allows beyond another")
    func beyond() {
        let old = Permissions(["atproto", "repo:a.b.c?action=create", "rpc?lxm=a.b.x&lxm=a.b.y&aud=*"])
        let new = Permissions(["atproto", "repo:a.b.c", "rpc?lxm=a.b.y&lxm=a.b.z&aud=*"])
        #expect(
            new.beyond(old) == [
                "repo:a.b.c?action=update", "repo:a.b.c?action=delete", "rpc:a.b.z?aud=*",
            ])
        #expect(old.beyond(new) == ["rpc:a.b.x?aud=*"])
        #expect(Permissions(["rpc?lxm=a.b.z&aud=*&lxm=a.b.y", "repo:a.b.c"]).beyond(new) == [])
        let raw = Permissions(["atproto", "include:a.b.set", "transition:email"])
        #expect(
            raw.beyond(raw) == []
                && raw.beyond(Permissions(["atproto"])) == ["include:a.b.set", "transition:email"])
        #expect(Permissions(["repo:a.b.c", "repo:a.b.c?action=create"]).beyond(Permissions([])).count == 3)
    }

    /// Two permissions, and one request that the first lets through and the second does not, if there is one. The rule here is
    /// about single requests, so it is another one than that of `cover`.
    @Test("covers exactly what lets each request through", .covers("S4"))
    func requests() throws {
        let names = ["a.b.c", "a.b.C", "a.b.d"]
        let (services, actions) = (["did:web:x.y#z", "did:web:x.y#Z"], ["create", "update", "delete"])
        let types = ["image/png", "image/pngx", "video/mp4"]
        var generator = Generator(state: 46)
        func some(_ values: [String], _ all: String) -> [String] {
            if generator.next(8) == 0 { return [all] }
            let chosen = values.filter { _ in generator.next(2) == 0 }
            return chosen.isEmpty ? [values[generator.next(values.count)]] : chosen
        }
        func make() -> (text: String, allows: ([String]) -> Bool) {
            switch generator.next(3) {
            case 0:
                let (collections, allowed) = (some(names, "*"), some(actions, "create"))
                return (
                    "repo?"
                        + (collections.map { "collection=\($0)" } + allowed.map { "action=\($0)" })
                        .joined(separator: "&"),
                    { parts in
                        return parts[0] == "write" && (collections == ["*"] || collections.contains(parts[1]))
                            && allowed.contains(parts[2])
                    }
                )
            case 1:
                let methods = some(names, "*")
                let audience = methods == ["*"] || generator.next(3) > 0 ? services[generator.next(2)] : "*"
                return (
                    "rpc?" + methods.map { "lxm=\($0)" }.joined(separator: "&")
                        + "&aud=\(audience.replacing("#", with: "%23"))",
                    { parts in
                        return parts[0] == "call" && (methods == ["*"] || methods.contains(parts[1]))
                            && (audience == "*" || audience == parts[2])
                    }
                )
            default:
                let accept = some(types + ["image/*"], "*/*")
                return (
                    "blob?" + accept.map { "accept=\($0)" }.joined(separator: "&"),
                    { parts in
                        return parts[0] == "upload"
                            && accept.contains {
                                $0 == "*/*" || $0 == parts[1]
                                    || $0 == "image/*" && parts[1].hasPrefix("image/")
                            }
                    }
                )
            }
        }
        // Names, services and types beside the named ones stand for all that `*` lets through.
        let requests =
            (names + ["a.b.other"]).flatMap { name in
                actions.map { "write \(name) \($0)" }
                    + (services + ["did:web:other.y#z"]).map { "call \(name) \($0)" }
            } + (types + ["image/other", "other/other"]).map { "upload \($0)" }
        let split = requests.map { $0.split(separator: " ").map(String.init) }
        var (covered, uncovered) = (0, 0)
        while covered + uncovered < 10_000 {
            let (held, wanted) = (make(), make())
            let expected = split.allSatisfy { !wanted.allows($0) || held.allows($0) }
            // A third of the pairs are covered.
            if !expected, uncovered > 2 * covered { continue }
            let found = Permissions([held.text]).cover(try PermissionScope(validating: wanted.text))
            try #require(found == expected, "\(held.text) \(wanted.text)")
            if found { covered += 1 } else { uncovered += 1 }
        }
        #expect(covered > 3_300)
    }
}

/// Numbers that are the same in every run (SplitMix64).
private struct Generator {
    var state: UInt64

    mutating func next(_ limit: Int) -> Int {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return Int((value ^ (value >> 31)) % UInt64(limit))
    }
}
