internal import ArgumentParser

/// A command that runs in a context: the live one in the program, a made one in tests.
protocol ContextCommand: ParsableCommand {
    var global: GlobalOptions { get }
    /// Whether it may ask a server anything. One that may not is kept from it, and starts in less time.
    var asksServers: Bool { get }

    func run(_ context: CommandContext) async throws(Failure)
}

extension ContextCommand {
    var asksServers: Bool { true }
}
