internal import ATPPlatform

/// The command that opens URLs. It is found without starting it.
struct BrowserCommand {
    /// The user's command for opening URLs.
    let command: String?
    let environment: [String: String]

    /// Whether the user may be at another machine and would not see a browser of this machine.
    var isRemote: Bool { environment["SSH_CONNECTION"]?.isEmpty == false }

    /// How the user's machine reaches this one by ssh, as far as the present connection shows it.
    var sshTarget: String {
        // The client's address and port, and the server's.
        let words = (environment["SSH_CONNECTION"] ?? "").split(separator: " ").map(String.init)
        guard words.count == 4 else { return "this-host" }
        let port = words[3] == "22" ? "" : "-p \(words[3].escapedForTerminal) "
        return port + words[2].escapedForTerminal
    }

    /// The words of the command, split like in a shell but without one. Nil if no command is known. Empty if a quote is
    /// not closed.
    var words: [String]? {
        command.map { ShellWords.split($0) ?? [] } ?? defaultOpener.map { [$0] }
    }

    private var defaultOpener: String? {
        if environment["WSL_DISTRO_NAME"]?.isEmpty == false { return "wslview" }
        let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
        return hasDisplay ? "xdg-open" : nil
    }
}
