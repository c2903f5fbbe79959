internal import ArgumentParser

/// A command that runs in a context: the live one in the program, a made one in tests.
protocol ContextCommand: ParsableCommand {
    var global: GlobalOptions { get }
    /// Whether it may ask a server anything, or sign. One that may not is kept from every server, and starts without
    /// OpenSSL but for a passphrase.
    var asksServers: Bool { get }

    func run(_ context: CommandContext) async throws(Failure)
}

extension ContextCommand {
    var asksServers: Bool { true }
}

/// A command that asks no server.
protocol LocalCommand: ContextCommand {}

extension LocalCommand {
    var asksServers: Bool { false }
}
