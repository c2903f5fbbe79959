internal import ATPJSON
internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoSessions
internal import ArgumentParser
internal import BskyAuthCore
internal import HTTPTypes

struct TokenCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print the Authorization and DPoP headers for one request.",
        discussion: """
            The headers work once, for this method and URL only, at the account's own server. Don't put them on \
            a command line, where other users can read them.

              bskyauth token --dpop GET URL | curl -sS -H @- URL
            """)

    @Argument(
        help: ArgumentHelp("The account (default: the selected account).", valueName: "account"),
        completion: .account)
    var selector: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("The method and the URL of the request.", valueName: "method url"))
    var dpop: [String] = []

    @Option(
        parsing: .unconditional, help: "The DPoP-Nonce header of the server's last response.")
    var nonce: String?

    @Flag(help: "Print the token even if standard output is a terminal.")
    var show = false

    @OptionGroup var mirror: MirrorOptions

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws -> Document {
        let (method, url) = try request()
        guard show || !StandardStream.output.isTerminal else {
            throw Failure(
                .usage, "token_to_terminal", "standard output is a terminal; the token was not printed",
                hint:
                    "bskyauth token --dpop \(method.rawValue) \(url.description.escapedForTerminal.shellQuoted) "
                    + "| curl -sS -H @- \(url.description.escapedForTerminal.shellQuoted)")
        }
        let core = try servers.sessions(mirror: try mirror.make(context))
        let account = try await context.select(in: core.accounts, named: selector).account
        let fields = try await CallFlow(core.context, as: account.id)
            .headers(for: method, url, nonce: nonce, lockTimeout: context.lockTimeout)
        return Document(
            json(fields, method, url), text: .lines(fields.map { "\($0.name.rawName): \($0.value)" }))
    }

    private func json(_ fields: HTTPFields, _ method: HTTPRequest.Method, _ url: HTTPURL) -> JSONValue {
        let headers = fields.map { JSONObject.Member(name: $0.name.rawName, value: .string($0.value)) }
        return [
            "schema": "bskyauth.token/1",
            "method": .string(method.rawValue),
            "url": .string(url.description),
            "headers": .object(JSONObject(headers)),
        ]
    }

    private func request() throws -> (HTTPRequest.Method, HTTPURL) {
        guard dpop.count == 2, let method = HTTPRequest.Method(rawValue: dpop[0]) else {
            throw Failure.usage("no request was named: bskyauth token [ACCOUNT] --dpop METHOD URL")
        }
        guard let url = try? HTTPURL(validating: dpop[1]) else {
            throw Failure.usage("\"\(dpop[1].escapedForTerminal)\" is not an http or https URL")
        }
        return (method, url)
    }
}
