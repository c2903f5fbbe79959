internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ArgumentParser
internal import BskyAuthCore
internal import OAuthDPoP

struct ResolveCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "resolve",
        abstract: "Look up an account: its DID, handle, PDS and authorization server.",
        discussion: """
            Handle and DID must name each other, and the PDS and its authorization server too, as for a login. No \
            vault and no account is needed. With -v each step is shown with its source and its time. With --json \
            the DID document is printed too.

              bskyauth resolve alice.example.com
            """)

    @Argument(help: "A handle or a DID.")
    var account: String

    @Flag(help: "Look the handle up again instead of using its DID of the last ten minutes.")
    var fresh = false

    @OptionGroup var part: GetOption

    @OptionGroup var global: GlobalOptions

    var usesPager: Bool { true }

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws -> Document {
        let identifier = try identifier()
        let flow = ResolveFlow(try servers.environment(try servers.network(), usesShortcut: false))
        do {
            let (identity, issuer) = try await flow.run(identifier, freshness: fresh ? .now : .cached)
            return document(identity, issuer.description, context.console)
        } catch let error as IdentityError {
            throw failure(error, identifier)
        }
    }

    private func identifier() throws -> ATIdentifier {
        switch try? LoginIdentifier(parsing: account) {
        case .handle(let handle): return .handle(handle)
        case .did(let did): return .did(did)
        case .server, nil:
            throw Failure.usage("\"\(account.escapedForTerminal)\" is neither a handle nor a DID")
        }
    }

    private func document(_ identity: Identity, _ issuer: String, _ console: Console) -> Document {
        Document(
            [
                "schema": "bskyauth.resolve/1", "did": .string(identity.did.description),
                "handle": JSONValue(identity.handle?.description),
                "pds": .string(identity.pds.description), "issuer": .string(issuer),
                "document": identity.document.json,
            ], part: part, text: .table(table(identity, issuer))
        ) {
            if identity.handle == nil, let claimed = identity.document.claimedHandle {
                console.say("the DID document claims the handle \(claimed), which does not lead to this DID")
            }
        }
    }

    private func table(_ identity: Identity, _ issuer: String) -> Table {
        var table = Table()
        table.append(["did", identity.did.description])
        table.append(["handle", identity.handle?.description ?? Handle.invalidPlaceholder])
        table.append(["pds", identity.pds.description])
        table.append(["issuer", issuer])
        return table
    }

    /// The failure with a next step that is not a login.
    private func failure(_ error: IdentityError, _ identifier: ATIdentifier) -> Failure {
        var failure = ErrorPresenter.failure(error)
        failure.hint =
            error.kind == .doesNotExist
            ? "check the spelling: bskyauth resolve HANDLE"
            : "see each step: bskyauth resolve \(identifier.description.shellQuoted) --fresh -v"
        return failure
    }
}
