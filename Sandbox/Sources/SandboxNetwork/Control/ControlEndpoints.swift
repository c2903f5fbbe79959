/// The endpoints under `/_sandbox/`, with which tests and scripts control the sandbox. The journal leaves them out.
struct ControlEndpoints: Sendable {
    let origins: Origins
    let journal: Journal
    let faults: FaultSet
    let clock: SandboxClock
    let accounts: AccountRegistry
    let clients: ClientRegistry
    let state: AuthorizationState
    let passwordSessions: PasswordSessions
    let repositories: RepositoryStore
    let names = NameServer()
    let defaultPassword: String

    func answer(_ exchange: Exchange) async -> Answer {
        do throws(Fault.Malformed) {
            switch (exchange.method, exchange.path) {
            case ("GET", "/_sandbox/journal"):
                return .text(journal.text, type: "application/jsonl; charset=utf-8")
            case ("POST", "/_sandbox/journal/reset"):
                journal.reset()
                return .json([:])
            case ("GET", "/_sandbox/accounts"):
                return .json(["accounts": .array(accounts.all.map(Self.summary))])
            case ("GET", "/_sandbox/service"):
                return .json([
                    "did": .string(origins.serviceDID), "service": .string(ForeignService.name),
                    "origin": .string(origins[.service]),
                ])
            case ("POST", "/_sandbox/accounts"):
                return try create(try await json(of: exchange))
            case ("POST", "/_sandbox/accounts/update"):
                return try await update(try await json(of: exchange))
            case ("POST", "/_sandbox/app-passwords"):
                return try addAppPassword(try await json(of: exchange))
            case ("POST", "/_sandbox/app-passwords/revoke"):
                return try await revokeAppPassword(try await json(of: exchange))
            case ("POST", "/_sandbox/repositories"):
                return try await setRepository(try await json(of: exchange))
            case ("POST", "/_sandbox/names"):
                return try await setName(try await json(of: exchange))
            case ("POST", "/_sandbox/clock"):
                return try move(try await json(of: exchange))
            case ("POST", "/_sandbox/faults"):
                return try setFaults(try await json(of: exchange))
            case ("POST", "/_sandbox/clients"):
                return try register(try await json(of: exchange))
            case ("GET", "/_sandbox/sessions"):
                return .json(["sessions": .array(await state.summaries)])
            case ("POST", "/_sandbox/sessions/end"):
                return try await endSessions(try await json(of: exchange))
            default:
                return .notFound(exchange.method, exchange.path)
            }
        } catch {
            return .json(["error": "InvalidRequest", "message": .string(error.reason)], status: 400)
        }
    }

    private func json(of exchange: Exchange) async throws(Fault.Malformed) -> JSONValue {
        guard let bytes = try? await exchange.body(upTo: 16 << 20), let json = try? JSONValue(parsing: bytes)
        else {
            throw Fault.Malformed(reason: "the body must be JSON")
        }
        return json
    }

    private func register(_ document: JSONValue) throws(Fault.Malformed) -> Answer {
        do throws(OAuthFailure) {
            try clients.register(document)
            return .json([:])
        } catch {
            throw Fault.Malformed(reason: error.description)
        }
    }

    private func move(_ json: JSONValue) throws(Fault.Malformed) -> Answer {
        try Fault.allow(["advance", "reset", "stop"], in: json, "clock")
        if json["reset"]?.bool == true { clock.reset() }
        if json["stop"]?.bool == true { clock.stop() }
        if let advance = json["advance"] {
            guard let duration = advance.string.flatMap(Duration.init(sandboxText:)) else {
                throw Fault.Malformed(reason: "advance is a duration like \"13d\" or \"-5m\"")
            }
            clock.advance(by: duration)
        }
        return .json(["now": .string(clock.now.timestamp), "advance_seconds": .number(clock.advance)])
    }

    /// Sets the TXT records of a name.
    private func setName(_ json: JSONValue) async throws(Fault.Malformed) -> Answer {
        try Fault.allow(["name", "texts"], in: json, "name")
        let texts = json["texts"]?.array?.compactMap(\.string)
        guard let name = json["name"]?.string, let texts, texts.count == json["texts"]?.array?.count else {
            throw Fault.Malformed(reason: "a name has texts, which can be none")
        }
        do { return .json(["dns": .string(try await names.set(texts, of: name))]) } catch {
            throw Fault.Malformed(reason: "the name server can't be started: \(error)")
        }
    }

    private func setFaults(_ json: JSONValue) throws(Fault.Malformed) -> Answer {
        guard let items = json.array else { throw Fault.Malformed(reason: "faults are an array") }
        var parsed: [Fault] = []
        for item in items { parsed.append(try Fault(item)) }
        faults.replace(with: parsed)
        return .json(["faults": JSONValue(parsed.count)])
    }
}
