internal import ATProtoGateway
internal import ATProtoIdentity
internal import ArgumentParser

/// The limits of programs, when their access ends, and the log of their requests.
struct AccessOptions: ParsableArguments {
    @Flag(help: "Let only queries through, of methods that are known to change nothing.")
    var readOnly = false

    @Option(
        help: ArgumentHelp(
            """
            Let only this through: a method, methods such as 'app.bsky.feed.*', or a permission such as \
            'repo:app.bsky.feed.post?action=create' or 'include:SET?aud=DID#SERVICE'. Repeatable.
            """, valueName: "rule"))
    var allow: [String] = []

    @Option(
        help: ArgumentHelp(
            """
            With --read-only or --allow: also let requests through that the PDS forwards to this service. Repeatable.
            """, valueName: "did#service"))
    var service: [String] = []

    @Flag(help: "Go on after `bskyauth vault lock`, which ends the proxy otherwise.")
    var keepUnlocked = false

    @Option(
        help: ArgumentHelp(
            "Add a line for each request to this file: method, status, bytes.", valueName: "file"),
        completion: .file())
    var log: String?

    /// The limits; a rule that can't be read is refused.
    func limits() throws -> AccessLimits {
        guard service.isEmpty || readOnly || !allow.isEmpty else {
            throw Failure.usage(
                "--service needs --read-only or --allow; without them every service is allowed")
        }
        return AccessLimits(
            isReadOnly: readOnly, rules: try allow.flatMap(Self.rules),
            services: try service.map(Self.service))
    }

    /// Tells of the rules that let nothing through. They are no failure, because servers may have more methods.
    func tellOfIdleRules(_ console: Console) throws {
        guard !allow.isEmpty else { return }
        for text in allow {
            let reasons = try Self.rules(text).map { $0.idleness(isReadOnly: readOnly) }
            // Parts of a set may be idle, as those that write with --read-only.
            if let reason = reasons.first, let reason, reasons.allSatisfy({ $0 != nil }) {
                console.say(ErrorPresenter.idleRule(text, reason))
            } else if AllowRule.isSet(text) {
                let limit = readOnly ? ", as far as --read-only lets it" : ""
                console.say("--allow \"\(text.escapedForTerminal)\" lets the program\(limit):")
                PermissionText.lines(PermissionWords(requested: [text])).forEach { console.say("  \($0)") }
            }
        }
    }

    /// The file of `--log`, open.
    func requestLog(_ console: Console) throws -> RequestLog? {
        try log.map { try RequestLog($0, console) }
    }

    private static func rules(_ text: String) throws -> [AllowRule] {
        do { return try AllowRule.all(validating: text) } catch {
            throw ErrorPresenter.failure(error, ofRule: text)
        }
    }

    private static func service(_ text: String) throws -> ServiceReference {
        guard let service = try? ServiceReference(validating: text) else {
            throw Failure.usage("--service takes DID#SERVICE, for example did:web:api.bsky.chat#bsky_chat")
        }
        return service
    }
}
