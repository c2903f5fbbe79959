internal import ATProtoIdentity
internal import ATProtoXRPC
internal import ArgumentParser
internal import HTTPTypes

/// The service behind the PDS that answers a call, and the labelers.
struct ServiceOptions: ParsableArguments {
    /// The services that most calls are for, by name.
    enum WellKnown: String, EnumerableFlag {
        case appview, chat

        var reference: ServiceReference {
            switch self {
            case .appview: .appView
            case .chat: .chat
            }
        }

        static func help(for value: WellKnown) -> ArgumentHelp? {
            switch value {
            case .appview: "Send the call through the PDS to Bluesky's AppView."
            case .chat:
                """
                Send the call through the PDS to Bluesky's chat. Needs a login with --scope transition:chat.bsky, or with the \
                permission set chat.bsky.authFullChatClient (see bskyauth-login(1)).
                """
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            "Send the call through the PDS to a service, for example did:web:api.bsky.app#bsky_appview.",
            valueName: "did#service"))
    var proxy: String?

    @Flag var wellKnown: WellKnown?

    @Option(
        name: .customLong("service"),
        help: ArgumentHelp(
            """
            Send the call to a service itself and not through the PDS, with a token for this call alone, for \
            example did:web:feeds.example.com#bsky_fg.
            """, valueName: "did#service"))
    var direct: String?

    @OptionGroup var audience: AudienceOption

    @Option(
        help: ArgumentHelp(
            """
            Ask for the labels of a labeler. Append ;redact to leave out content it has taken down. Repeatable; \
            an empty text asks for no labels.
            """, valueName: "did"))
    var labelers: [String] = []

    /// The service of `--service`; nil if the call goes to the PDS.
    func directService() throws -> ServiceReference? {
        guard let direct else {
            guard !audience.namesService else { throw Failure.usage("--aud-with-service needs --service") }
            return nil
        }
        guard proxy == nil, wellKnown == nil else {
            throw Failure.usage(
                "--service goes to the service itself, and --proxy, --appview and --chat go through the PDS; use one"
            )
        }
        guard let service = try? ServiceReference(validating: direct) else {
            throw Failure.usage("--service takes DID#SERVICE, for example did:web:api.bsky.app#bsky_appview")
        }
        return service
    }

    /// The service behind the PDS; nil if the PDS decides.
    func service() throws -> ServiceReference? {
        guard proxy == nil || wellKnown == nil else {
            throw Failure.usage("use only one of --proxy, --appview and --chat")
        }
        if let wellKnown { return wellKnown.reference }
        guard let proxy else { return nil }
        guard let service = try? ServiceReference(validating: proxy) else {
            throw Failure.usage("--proxy takes DID#SERVICE, for example did:web:api.bsky.app#bsky_appview")
        }
        return service
    }

    /// Puts what was asked for beside the fields of a call.
    func add(to fields: inout HTTPFields) throws {
        if try directService() != nil, let name = HTTPField.Name.atprotoProxy, fields[name] != nil {
            throw Failure.usage(
                "\(name.rawName) is for calls through the PDS, so --service can't be used with it")
        }
        if let service = try service() {
            try add(.atprotoProxy, service.description, to: &fields)
        }
        guard !labelers.isEmpty else { return }
        guard let accepted = try? AcceptedLabelers(validating: labelers.filter { !$0.isEmpty }) else {
            throw Failure.usage("--labelers takes a DID or DID;redact")
        }
        try add(.atprotoAcceptLabelers, accepted.description, to: &fields)
    }

    private func add(
        _ name: HTTPField.Name?, _ value: String, to fields: inout HTTPFields
    ) throws {
        guard let name else { return }
        guard fields[name] == nil else {
            throw Failure.usage("\(name.rawName) is given twice: by an option and as a header")
        }
        fields[name] = value
    }
}
