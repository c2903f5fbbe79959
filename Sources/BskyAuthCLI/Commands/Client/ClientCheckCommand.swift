internal import ATPJSON
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import OAuthDPoP

struct ClientCheckCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the published files of a client as servers see them.",
        discussion: """
            Fetches the document without following redirects, and compares it with the vault. After a change of the \
            document, servers may use the old one for another 10 minutes to an hour.
            """)

    @Argument(help: ArgumentHelp("The client.", valueName: "name"))
    var name: String

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws -> Document {
        let client = try ClientStore(try context.accounts().vault).find(name)
        let network = try servers.environment(try servers.network())
        let check = try await ClientCheck(client, ClientSite(network))
        return Document(check.json, afterwards: { try say(check, of: client, context) })
    }

    private func say(_ check: ClientCheck, of client: HostedClient, _ context: CommandContext) throws {
        for finding in check.findings {
            context.console.say("\(finding.isFault ? "fault" : "warning"): \(finding.text)")
        }
        guard !check.findings.contains(where: \.isFault) else {
            throw Failure(
                .failure, "client_check",
                "servers do not take the client \(client.name.escapedForTerminal) as it is",
                hint: check.remedy)
        }
        context.console.say(
            "the client \(client.name.escapedForTerminal) is published as it should be; servers may use an earlier document for "
                + "10 minutes to an hour, and refuse a login with a newer key until then")
    }
}
