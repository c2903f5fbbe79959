internal import ArgumentParser

/// A command of this program. It is one of two kinds. The compiler limits each kind to its ports.
protocol ContextCommand: ParsableCommand, Sendable {
    var global: GlobalOptions { get }
    /// Whether it needs OpenSSL. A command that does not works with a broken OpenSSL configuration.
    var usesCryptography: Bool { get }
    /// Whether its data is for people to read and may be long, so that a terminal shows it in a pager.
    var usesPager: Bool { get }

    /// Runs the command. Each kind implements it; commands implement the `run` of their kind.
    func start(in context: CommandContext) async throws
}

/// A command that uses the vault, the terminal and files. It gets no network and reads no network setting. Only a shared vault
/// brings the way to its store.
protocol OfflineCommand: ContextCommand {
    /// ``Document`` if the command returns its result; nothing if it writes while it works.
    associatedtype Output
    func run(_ context: CommandContext) async throws -> Output
}

extension ContextCommand {
    var usesCryptography: Bool { true }
    var usesPager: Bool { false }
}

extension OfflineCommand where Output == Void {
    func start(in context: CommandContext) async throws { try await run(context) }
}

extension OfflineCommand where Output == Document {
    func start(in context: CommandContext) async throws {
        try await context.console.write(try await run(context))
    }
}

/// A command that may ask servers.
protocol OnlineCommand: ContextCommand {
    /// As in ``OfflineCommand``.
    associatedtype Output
    func run(_ context: CommandContext, _ servers: ServerAccess) async throws -> Output
}

extension OnlineCommand where Output == Void {
    func start(in context: CommandContext) async throws { try await run(context, ServerAccess(context)) }
}

extension OnlineCommand where Output == Document {
    func start(in context: CommandContext) async throws {
        try await context.console.write(try await run(context, ServerAccess(context)))
    }
}
