internal import Platform

/// The command that opens URLs. It is found without starting it.
struct BrowserCommand {
    /// The user's command for opening URLs.
    let command: String?
    let environment: [String: String]

    /// Whether the user may be at another machine and would not see a browser of this machine.
    var isRemote: Bool { environment["SSH_CONNECTION"]?.isEmpty == false }

    /// Split as a shell would, without one; nil where there is nothing to open a URL with, and empty where the
    /// command has a quote that is left open.
    var words: [String]? {
        command.map { ShellWords.split($0) ?? [] } ?? defaultOpener.map { [$0] }
    }

    private var defaultOpener: String? {
        #if os(macOS)
            return "open"
        #else
            if environment["WSL_DISTRO_NAME"]?.isEmpty == false { return "wslview" }
            let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { environment[$0]?.isEmpty == false }
            return hasDisplay ? "xdg-open" : nil
        #endif
    }
}
