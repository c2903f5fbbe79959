internal import ArgumentParser

/// Words that name no command here, but that users know from other programs, such as gh, goat and kubectl.
enum FamiliarWord {
    /// The command for a word, without the program's name; nil for other words.
    static func command(for word: String) -> String? {
        table[word] ?? commandInGroup(word)
    }

    /// The command of a group that has this name, such as `accounts export`. At the top level it lacks the group.
    private static func commandInGroup(_ word: String) -> String? {
        let groups: [any ParsableCommand.Type] = [BskyAuth.self, AccountsCommand.self, VaultCommand.self]
        let group = groups.first { $0.subcommand(named: word)?.name != nil }
        guard let group, let command = group.subcommand(named: word)?.name else { return nil }
        return group == BskyAuth.self ? command : "\(group.name ?? "") \(command)"
    }

    private static let table = [
        "account": "accounts", "sessions": "accounts", "ls": "accounts", "list": "accounts",
        "profiles": "accounts", "users": "accounts", "status": "accounts --check",
        "me": "whoami", "id": "whoami", "user": "whoami", "get-session": "whoami",
        "auth": "login", "signin": "login", "sign-in": "login", "add": "login", "init": "login",
        "signout": "logout", "sign-out": "logout",
        "rm": "logout", "remove": "logout", "delete": "call com.atproto.repo.deleteRecord",
        "use": "switch", "use-context": "switch", "checkout": "switch", "select": "switch",
        "config": "help environment", "completions": "completion", "man": "help", "version": "--version",
        "check": "doctor", "diagnose": "doctor", "renew": "refresh", "headers": "token", "proof": "token",
        "service-auth": "service-token", "jwt": "service-token",
        "lookup": "resolve", "did": "resolve", "handle": "resolve", "dig": "resolve",
        "api": "call", "curl": "call", "get": "call com.atproto.repo.getRecord",
        "record": "call com.atproto.repo.getRecord", "post": "call com.atproto.repo.createRecord",
        "create": "call com.atproto.repo.createRecord", "bsky": "call com.atproto.repo.createRecord",
        "like": "call com.atproto.repo.createRecord", "follow": "call com.atproto.repo.createRecord",
        "upload": "call com.atproto.repo.uploadBlob", "blob": "call com.atproto.repo.uploadBlob",
        "feed": "call app.bsky.feed.getTimeline", "timeline": "call app.bsky.feed.getTimeline",
        "profile": "call app.bsky.actor.getProfile", "search": "call app.bsky.feed.searchPosts",
    ]
}
