internal import ArgumentParser
internal import FoundationEssentials

/// Opens the parts of the server for a command, and tells the person what failed. The server may run meanwhile.
enum Operation {
    static func run(
        _ options: CommonOptions, _ work: (ServerParts) async throws -> Void
    ) async throws {
        let configuration = try options.configuration()
        guard FileManager.default.fileExists(atPath: configuration.vaultFolder) else {
            Person.tell("the server has no vault yet. Start it first: `bskyauth-server serve`.")
            throw ExitCode.failure
        }
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
