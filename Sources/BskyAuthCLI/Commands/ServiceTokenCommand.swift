internal import ATPJSON
internal import ATPPlatform
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ArgumentParser
internal import BskyAuthCore

struct ServiceTokenCommand: OnlineCommand {
    static let configuration = CommandConfiguration(
        commandName: "service-token",
        abstract: "Print a token for one method of another service.",
        discussion: """
            The account's server signs the token, and the service then believes that the account calls it. Until \
            the token ends, whoever has it can call this method as the account. To make the call with bskyauth, use \
            bskyauth call --service, or --proxy through the account's server.

              bskyauth service-token --aud did:web:video.bsky.app --lxm app.bsky.video.getUploadLimits
            """)

    @Argument(
        help: ArgumentHelp("The account (default: the selected account).", valueName: "account"),
        completion: .account)
    var selector: String?

    @Option(
        name: .customLong("aud"),
        help: ArgumentHelp(
            "The service, for example did:web:api.bsky.app#bsky_appview, or a DID alone.",
            valueName: "did#service"))
    var audience: String

    @Option(
        name: .customLong("lxm"),
        help: ArgumentHelp(
            "The method that the token is for, for example app.bsky.feed.getTimeline.", valueName: "method"),
        completion: .method)
    var method: String

    @Option(
        name: .customLong("ttl"),
        help: ArgumentHelp("How long the token is valid, from 10s to 1h.", valueName: "time"))
    var lifetime = TimeLength(.seconds(60))

    @OptionGroup var form: AudienceOption

    @Flag(help: "Print the token even if standard output is a terminal.")
    var show = false

    @OptionGroup var mirror: MirrorOptions

    @OptionGroup var global: GlobalOptions

    func run(_ context: CommandContext, _ servers: ServerAccess) async throws -> Document {
        let request = try request()
        guard show || !StandardStream.output.isTerminal else { throw tokenToTerminal(request) }
        let core = try servers.sessions(mirror: try mirror.make(context))
        let account = try await context.select(in: core.accounts, named: selector).account
        let token = try await ServiceTokenFlow(core, as: account, lockTimeout: context.lockTimeout)
            .token(for: request)
        return Document(json(token, request, of: account), text: .lines([token.reveal()]))
    }

    private func request() throws -> ServiceTokenRequest {
        guard let target = try? ServiceAudience(validating: audience) else {
            throw Failure.usage(
                "--aud takes DID or DID#SERVICE, for example did:web:api.bsky.app#bsky_appview")
        }
        if form.namesService, case .did = target {
            throw Failure.usage("--aud-with-service needs the name of a service: --aud \(target)#SERVICE")
        }
        guard let nsid = try? NSID(validating: method) else {
            throw Failure.usage("--lxm takes the name of a method, for example app.bsky.feed.getTimeline")
        }
        guard (.seconds(10) ... .seconds(3600)).contains(lifetime.duration) else {
            throw Failure.usage("--ttl takes a time from 10s to 1h")
        }
        return ServiceTokenRequest(
            target, nsid, lifetime: lifetime.duration, namesService: form.namesService)
    }

    private func tokenToTerminal(_ request: ServiceTokenRequest) -> Failure {
        let account = selector.map { "\($0.escapedForTerminal.shellQuoted) " } ?? ""
        return Failure(
            .usage, "token_to_terminal", "standard output is a terminal; the token was not printed",
            hint: "bskyauth service-token \(account)--aud \(request.target.description.shellQuoted)"
                + " --lxm \(request.method)\(form.namesService ? " --aud-with-service" : "") --show")
    }

    private func json(
        _ token: ServiceToken, _ request: ServiceTokenRequest, of account: Account
    ) -> JSONValue {
        [
            "schema": "bskyauth.service-token/1",
            "token": .string(token.reveal()),
            "iss": .string(account.did.description),
            "aud": .string(request.audience.description),
            "lxm": .string(request.method.description),
            "expires_at": .string(TimeText.rfc3339(token.expiresAt)),
        ]
    }
}
