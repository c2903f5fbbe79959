internal import ArgumentParser

/// A command that runs in a context: the live one in the program, a made one in tests.
protocol ContextCommand: ParsableCommand {
    var global: GlobalOptions { get }
    /// Whether it may send requests or sign. A command that may not has no connection to any server.
    var asksServers: Bool { get }
    /// Whether it needs OpenSSL. A command that does not works with a broken OpenSSL configuration.
    var usesCryptography: Bool { get }

    func run(_ context: CommandContext) async throws(Failure)
}

extension ContextCommand {
    var asksServers: Bool { true }
    var usesCryptography: Bool { true }
}

/// A command that asks no server.
protocol LocalCommand: ContextCommand {}

extension LocalCommand {
    var asksServers: Bool { false }
}
