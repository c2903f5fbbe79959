import ATProtoXRPC
import BskyAuthCovers
import Testing

@testable import ATProtoGateway

@Suite("Permissions in words") struct PermissionWordsTests {
    private static let view = "did:web:api.bsky.app%23bsky_appview"
    private static let service = "did:web:api.bsky.app#bsky_appview"

    private func words(_ scope: String) -> PermissionWords {
        PermissionWords(requested: scope.split(separator: " ").map(String.init))
    }

    @Test(
        "say every action",
        arguments: [
            ("atproto", []),
            ("repo:a.b.c", ["create, edit and delete records of a.b.c"]),
            ("repo:a.b.c?action=create", ["create records of a.b.c"]),
            (
                "repo:a.b.c?action=create&action=update repo:a.b.d?action=create",
                ["create records of a.b.d", "create and edit records of a.b.c"]
            ),
            ("repo:* repo:a.b.c", ["create, edit and delete records of every collection"]),
            ("blob:image/* blob:video/mp4", ["upload files of image/*, video/mp4"]),
            ("blob:*/*", ["upload files of every type"]),
            ("account:email", ["see the e-mail address"]),
            ("account:email?action=manage", ["see and change the e-mail address"]),
            ("account:repo", ["see the state of the repository"]),
            ("account:repo?action=manage", ["replace the whole repository"]),
            ("identity:handle", ["change the handle"]),
            ("identity:*", ["change the handle, the keys and the server of the account"]),
            (
                "rpc:app.bsky.feed.getTimeline?aud=\(view)",
                ["read by calling app.bsky.feed.getTimeline at \(service)"]
            ),
            // It is called read-only, and changes something.
            (
                "rpc:app.bsky.notification.updateSeen?aud=\(view)",
                ["call app.bsky.notification.updateSeen at \(service), which may change something"]
            ),
            (
                "rpc:com.example.getThings?aud=*",
                ["call com.example.getThings at any service, which may change something"]
            ),
            ("rpc:*?aud=\(view)", ["call every method at \(service), also those that change something"]),
            (
                "transition:chat.bsky",
                ["call every method of the chat, also those that change or delete something"]
            ),
            ("transition:email", ["see the e-mail address"]),
            (
                "transition:generic",
                [
                    "create, edit and delete every record, upload every file, and call every method except those of the chat"
                ]
            ),
        ] as [(String, [String])])
    func table(scope: String, lines: [String]) {
        #expect(words(scope).actions.map { $0.text() }.sorted() == lines.sorted())
    }

    @Test("warn of what a name does not tell")
    func warnings() {
        func warns(_ scope: String, _ text: String) -> Bool {
            words(scope).warnings.contains { $0.contains(text) }
        }
        for scope in ["rpc:a.b.c?aud=*", "transition:generic", "transition:chat.bsky"] {
            #expect(warns(scope, "every service accepts"), "\(scope)")
        }
        #expect(warns("transition:generic", "report"))
        #expect(warns("rpc:com.atproto.moderation.createReport?aud=\(Self.view)", "report"))
        #expect(warns("account:repo?action=manage", "everything that the account has published"))
        #expect(
            warns("identity:*", "take the account over") && !warns("identity:handle", "take the account over")
        )
        for scope in ["repo:com.atproto.lexicon.schema?action=update", "repo:*", "transition:generic"] {
            #expect(warns(scope, "others' sessions"), "\(scope)")
        }
        #expect(warns("transition:generic", "more than most programs need"))
        #expect(words("repo:a.b.c rpc:a.b.c?aud=\(Self.view) blob:*/*").warnings.isEmpty)
    }

    @Test("say what is not allowed only if that is certain")
    func absent() {
        #expect(words("transition:generic").absent.isEmpty)
        #expect(words("repo:a.b.c include:com.example.auth").absent.isEmpty)
        #expect(words("repo:a.b.c include:com.example.auth").unknown == ["include:com.example.auth"])
        #expect(words("space:com.example.forum").unknown == ["space:com.example.forum"])
        let post = words("repo:app.bsky.feed.post?action=create").absent
        #expect(post.contains("edit or delete any records") && post.contains("write other records"))
        #expect(post.contains("upload files") && post.contains("read or send chat messages"))
        #expect(!words("repo:*").absent.contains { $0.contains("records") })
        #expect(!words("rpc:chat.bsky.convo.getLog?aud=*").absent.contains { $0.contains("chat") })
        #expect(words("atproto").absent.first == "create, edit or delete records")
        // These can replace records, or take the account over.
        #expect(!words("account:repo?action=manage").absent.contains { $0.contains("records") })
        #expect(words("identity:*").absent.isEmpty)
        // A service may take files.
        for scope in ["rpc:com.atproto.repo.uploadBlob?aud=*", "rpc:*?aud=\(Self.view)"] {
            #expect(!words(scope).absent.contains("upload files"), "\(scope)")
        }
        let chat = words("transition:chat.bsky").absent
        #expect(!chat.contains { $0.contains("chat") || $0.contains("service") })
        // Of what was granted, a set that was not replaced by its permissions allows nothing that is known here.
        let granted = PermissionWords(granted: ["atproto", "include:app.bsky.authManageProfile"])
        #expect(granted.actions.isEmpty && granted.unknown == ["include:app.bsky.authManageProfile"])
    }

    @Test("of a set have nothing that the set lost, and all that it permits")
    func sets() {
        let set = "app.bsky.authViewAll"
        let whole = words("include:\(set)?aud=\(Self.view)").actions
        #expect(whole.contains { $0.verb == "call" && $0.names.contains("app.bsky.notification.updateSeen") })
        #expect(
            whole.contains { $0.verb == "read by calling" && $0.names.contains("app.bsky.feed.getTimeline") })
        // Without an audience, its methods are lost.
        #expect(words("include:app.bsky.authCreatePosts").actions.map(\.verb) == ["create records of"])
    }

    @Test("name every action of 10,000 grants") func generated() throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = Seeded(state: seed)
        let names = [
            "app.bsky.feed.post", "app.bsky.feed.getTimeline", "app.bsky.notification.updateSeen",
            "com.example.thing", "*",
        ]
        let audiences = [Self.view, "did:web:x.example%23one", "*"]
        func some(_ of: [String]) -> [String] {
            of.shuffled(using: &random).prefix(Int.random(in: 1...2, using: &random)).map(\.self)
        }
        func scope() -> String {
            switch Int.random(in: 0..<5, using: &random) {
            case 0:
                let actions = Bool.random(using: &random) ? [] : some(["create", "update", "delete"])
                let query = (some(names).map { "collection=\($0)" } + actions.map { "action=\($0)" })
                return "repo?\(query.joined(separator: "&"))"
            case 1:
                return
                    "rpc?\(some(names).map { "lxm=\($0)" }.joined(separator: "&"))&aud=\(some(audiences)[0])"
            case 2:
                return
                    "blob?\(some(["image/*", "video/mp4", "*/*"]).map { "accept=\($0)" }.joined(separator: "&"))"
            case 3: return "account:\(some(["email", "repo"])[0])\(some(["", "?action=manage"])[0])"
            default: return "identity:\(some(["handle", "*"])[0])"
            }
        }
        var parts = 0
        let never: [(String, (PermissionScope) -> Bool)] = [
            (
                "records",
                { if case .repo = $0 { true } else { $0 == .account(attribute: "repo", manages: true) } }
            ),
            ("upload files", { if case .blob = $0 { true } else { false } }),
            ("any other service", { if case .rpc = $0 { true } else { false } }),
            ("change the handle", { if case .identity = $0 { true } else { false } }),
        ]
        for _ in 0..<10_000 {
            let values = (0..<Int.random(in: 1...3, using: &random)).map { _ in scope() }
            let words = PermissionWords(requested: values)
            let actions = words.actions
            let whole = values.compactMap { try? PermissionScope(validating: $0) }
            for (text, allows) in never where text != "records" && whole.contains(where: allows) {
                #expect(!words.absent.contains { $0.contains(text) }, "seed \(seed): \(values)")
            }
            for action in PermissionScope.RecordAction.allCases
            where whole.contains(where: { $0.parts(with: action) }) {
                let verb = action == .update ? "edit" : action.rawValue
                #expect(
                    !words.absent.contains { $0.hasSuffix("any records") && $0.contains(verb) },
                    "seed \(seed): \(values)")
            }
            for action in actions where action.verb == "read by calling" {
                #expect(action.names == ["app.bsky.feed.getTimeline"], "seed \(seed): \(values)")
            }
            for value in values {
                // Of `rpc:*` at any service no server grants anything.
                guard let permission = try? PermissionScope(validating: value) else { continue }
                for (verbs, name) in Self.needed(permission) {
                    parts += 1
                    let isSaid = actions.contains { action in
                        verbs.allSatisfy(action.text().contains)
                            && (name == nil || action.names.contains(name ?? "")
                                || action.text().contains("every"))
                    }
                    #expect(isSaid, "seed \(seed), \(values): \(verbs) \(name ?? "")")
                }
            }
        }
        #expect(parts > 10_000)
    }

    /// The words that must stand together, and the name that they are about.
    private static func needed(_ permission: PermissionScope) -> [([String], String?)] {
        switch permission {
        case .repo(let collections, let actions):
            collections.flatMap { name in
                actions.map { action in
                    (
                        [action == .update ? "edit" : action.rawValue, "records"],
                        name == .any ? nil : name.description
                    )
                }
            }
        case .rpc(let methods, let audience):
            methods.map { name in
                let place =
                    if case .service(let service) = audience { "at \(service)" } else { "at any service" }
                return ([place], name == .any ? nil : name.description)
            }
        case .blob(let types): types.map { (["upload"], $0 == "*/*" ? nil : $0) }
        case .account("email", let manages): [([manages ? "change" : "see", "e-mail"], nil)]
        case .account(_, let manages): [([manages ? "replace" : "see", "repository"], nil)]
        case .identity(let attribute): [(attribute == "*" ? ["keys", "server"] : ["handle"], nil)]
        case .include: []
        }
    }
}

extension PermissionScope {
    fileprivate func parts(with action: RecordAction) -> Bool {
        if case .repo(_, let actions) = self { actions.contains(action) } else { false }
    }
}

/// Numbers that a seed gives again (splitmix64).
private struct Seeded: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}
