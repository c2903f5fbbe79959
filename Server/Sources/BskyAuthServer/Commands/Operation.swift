internal import ArgumentParser

/// Opens the parts of the server for a command, and tells the person what failed. The server may run meanwhile.
enum Operation {
    static func run(
        _ options: CommonOptions, _ work: (ServerParts) async throws -> Void
    ) async throws {
        let configuration = try options.configuration()
        do {
            try await work(try await ServerParts(configuration, say: Person.tell))
        } catch let code as ExitCode {
            throw code
        } catch {
            Person.tell("\(error)")
            throw ExitCode.failure
        }
    }
}
