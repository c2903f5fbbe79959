internal import ArgumentParser
internal import BskyAuthCore
internal import HTTPTypes
internal import Networking
internal import Platform

struct TokenCommand: ContextCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print the header lines with which another HTTP client makes one request.",
        discussion: """
            Authorization and DPoP, for this method and URL, good once; the account's PDS is the only server \
            they are made for. Never put them on a command line, where others can read them.

              bskyauth token --dpop GET URL | curl -sS -H @- URL
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(
        help: ArgumentHelp("The account; the active one where none is named.", valueName: "account"),
        completion: .account)
    var selector: String?

    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("The method and the URL of the request.", valueName: "method url"))
    var dpop: [String] = []

    @Option(
        parsing: .unconditional, help: "The DPoP-Nonce that the server has asked the other client for.")
    var nonce: String?

    @Flag(help: "Print to a terminal too.")
    var show = false

    @OptionGroup var handover: HandoverOptions

    func run(_ context: CommandContext) async throws(Failure) {
        let (method, url) = try request()
        guard show || !StandardStream.output.isTerminal else {
            throw Failure(
                .usage, "token_to_terminal", "a token is not shown on a terminal unasked",
                hint: "bskyauth token --dpop \(method.rawValue) \(url.description.shown.shellQuoted) "
                    + "| curl -sS -H @- \(url.description.shown.shellQuoted)")
        }
        let core = try context.core(.init(handover: try handover.make(context)))
        let account = try context.select(in: core.accounts, named: selector).account
        let fields = try await ErrorPresenter.presenting { () async throws(CoreError) in
            try await CallFlow(core, as: account.id)
                .headers(for: method, url, nonce: nonce, lockTimeout: context.lockTimeout)
        }
        for field in fields { try context.console.write(line: "\(field.name.rawName): \(field.value)") }
    }

    private func request() throws(Failure) -> (HTTPRequest.Method, HTTPURL) {
        guard dpop.count == 2, let method = HTTPRequest.Method(rawValue: dpop[0]) else {
            throw .usage("say which request the proof is for: bskyauth token [ACCOUNT] --dpop METHOD URL")
        }
        do {
            return (method, try HTTPURL(validating: dpop[1]))
        } catch {
            throw .usage("\"\(dpop[1].shown)\" is no http or https URL")
        }
    }
}
