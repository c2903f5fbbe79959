internal import ATPJSON
internal import ATPPlatform
internal import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoSessions
internal import BskyAuthCore
internal import FoundationEssentials

/// How a program finds the proxy and logs in there: by variables, or by a file of its own.
struct ChildSettings {
    /// A tool or family of tools that has its own names for the same things.
    enum Convention: String, CaseIterable {
        case env, goat
    }

    /// What a variable of `--set` is.
    enum Value: String, CaseIterable {
        case url, handle, secret
    }

    let url: String
    let account: ProgramAccount

    /// The name of a variable of `--set`, which must be one that shells take and that has no meaning yet.
    static func checked(_ name: String) throws -> String {
        guard let first = name.utf8.first, !digits.contains(first), name.utf8.allSatisfy(isInName) else {
            throw Failure.usage(
                "--set \"\(name.escapedForTerminal)\" is no name of a variable: it takes letters and _, and digits after the first"
            )
        }
        guard !name.hasPrefix("BSKYAUTH_") else {
            throw Failure.usage(
                "--set can't set \(name): names that begin with BSKYAUTH_ are for bskyauth itself")
        }
        return name
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"):
            true
        default: digits.contains(byte)
        }
    }

    /// The variables that every program gets.
    var own: [String: String] {
        [
            "BSKYAUTH_PROXY_URL": url, "BSKYAUTH_PROXY_HANDLE": account.account.publicHandle,
            "BSKYAUTH_PROXY_SECRET": account.secret,
        ]
    }

    /// The variables of ``Convention/env``: the names that bots and scripts use.
    var usual: [String: String] {
        var variables: [String: String] = [:]
        for name in ["BLUESKY_HANDLE", "BSKY_HANDLE", "ATP_AUTH_HANDLE"] {
            variables[name] = account.account.publicHandle
        }
        for name in ["BLUESKY_APP_PASSWORD", "BSKY_APP_PASSWORD", "ATP_AUTH_PASSWORD"] {
            variables[name] = account.secret
        }
        for name in ["BLUESKY_PDS_URL", "ATP_PDS_HOST"] { variables[name] = url }
        return variables
    }

    func value(_ value: Value) -> String {
        switch value {
        case .url: url
        case .handle: account.account.publicHandle
        case .secret: account.secret
        }
    }

    /// The saved session of goat. It has no password: with one, goat would log in at the real PDS when a request fails.
    func goatSession(_ tokens: (access: String, refresh: String)) -> JSONValue {
        [
            "did": .string(account.account.did.description), "password": "",
            "access_token": .string(tokens.access), "session_token": .string(tokens.refresh),
            "pds": .string(url),
        ]
    }

    /// Whether a variable may hold what a program logs in with. With one of them it would log in past the proxy.
    ///
    /// The published tools read names such as `BSKY_PASSWORD`, `BLUESKY_APP_PASSWORD`, `ATP_AUTH_HANDLE`, `ATPROTO_USERNAME` and
    /// `PDS_ADMIN_PASSWORD`: the name of a family, then something with a word for a login or a secret in it. A part between
    /// underscores that is another word, as in `BSKY_KEYWORDS`, does not count.
    static func isCredential(_ name: String) -> Bool {
        let name = name.uppercased()
        guard let family = families.first(where: name.hasPrefix) else { return false }
        return name.dropFirst(family.count).split(separator: "_").contains { part in
            !otherWords.contains(String(part)) && loginWords.contains(where: part.contains)
        }
    }

    private static let families = ["BSKY_", "BLUESKY_", "ATP_", "ATPROTO_", "GOAT_", "PDS_"]
    private static let loginWords = [
        "PASS", "PW", "SECRET", "TOKEN", "JWT", "KEY", "CRED", "AUTH", "SESSION", "HANDLE", "USERNAME",
        "IDENTIFIER",
        "LOGIN", "EMAIL",
    ]
    private static let otherWords = [
        "AUTHOR", "AUTHORS", "KEYBOARD", "KEYWORD", "KEYWORDS", "PASSED", "PASSIVE", "TOKENIZER",
    ]

    /// The environment of this process without what opens a vault or a bundle and without passwords of Bluesky, and with a
    /// direct way to 127.0.0.1.
    static func inherited(_ environment: [String: String]) -> [String: String] {
        var child = environment.filter { !isCredential($0.key) }
        for name in Settings.unlockingVariables { child[name] = nil }
        for name in ["NO_PROXY", "no_proxy"] {
            let present = child[name] ?? ""
            if present != "*" { child[name] = present.isEmpty ? "127.0.0.1" : "\(present),127.0.0.1" }
        }
        return child
    }
}
