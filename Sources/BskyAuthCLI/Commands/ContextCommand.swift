internal import ArgumentParser

/// A command that runs in a context: the live one in the program, a made one in tests.
protocol ContextCommand: ParsableCommand {
    var global: GlobalOptions { get }

    func run(_ context: CommandContext) async throws(Failure)
}
