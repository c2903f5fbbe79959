internal import ATPNetworking
internal import ATProtoIdentity
internal import BskyAuthCore
internal import FoundationEssentials

extension ErrorPresenter {
    static func failure(_ error: TransportError) -> Failure {
        let place = (error.url ?? "the server").escapedForTerminal
        let again = "run the command again later"
        switch error.code.kind {
        case .refused(let refusal): return failure(refusal, at: place, address: error.detail)
        case .nameNotResolved:
            return Failure(
                .network, "name_not_resolved", "the host of \(place) was not found", hint: again)
        case .notConnected:
            return Failure(.network, "not_connected", "\(place) can't be reached", hint: again)
        case .untrusted:
            // As "certificate has expired", or that it is of another name.
            let why = error.detail.map { " (\($0.escapedForTerminal))" } ?? ""
            if ["expired", "not yet valid"].contains(where: { error.detail?.contains($0) == true }) {
                return Failure(
                    .network, "tls",
                    "the certificate of \(place) is not valid at this machine's time, \(TimeText.rfc3339(Date()))\(why)",
                    hint: "if that time is wrong, set the clock; else the server has to renew its certificate"
                )
            }
            if error.detail?.contains("local issuer certificate") == true {
                let host = error.url.flatMap { try? HTTPURL(validating: $0) }?.origin
                return Failure(
                    .network, "tls",
                    "the certificate of \(place) is not trusted on this machine\(why): the server may send no intermediate "
                        + "certificate, or the certificate authority is unknown here",
                    hint: "for your own CA, set SSL_CERT_FILE to its file; to see what the server sends:  "
                        + "openssl s_client -showcerts -connect "
                        + (host.map { "\($0.host):\($0.port)" } ?? "HOST:443"))
            }
            return Failure(
                .network, "tls", "the certificate of \(place) is not trusted on this machine\(why)",
                hint: "if you use your own CA: export SSL_CERT_FILE=/path/to/ca.pem")
        case .handshakeFailed:
            return Failure(
                .network, "tls", "the TLS connection to \(place) failed",
                hint: "to see the reason, run the command again with --verbose")
        case .timedOut: return Failure(.network, "timed_out", "\(place) did not answer in time", hint: again)
        case .tooLarge(let limit):
            return Failure(
                .network, "too_large", "\(place) answered with more than \(limit) bytes", hint: again)
        case .connectionLost:
            return Failure(.network, "connection_lost", "the connection to \(place) was lost", hint: again)
        case .bodyUnreadable:
            return Failure(.failure, "input_unreadable", "the body of the request could not be read")
        case .cancelled: return Failure(.interrupted, "interrupted", "interrupted")
        case .unavailable:
            return Failure(
                .failure, "transport",
                "libcurl can't make this request: \((error.detail ?? "no reason").escapedForTerminal)"
            )
        }
    }

    /// - Parameter address: what the name stands for, as far as that was looked up.
    private static func failure(
        _ refusal: NetworkPolicy.Refusal, at place: String, address: String?
    ) -> Failure {
        switch refusal.reason {
        case .plainHTTP:
            Failure(
                .network, "plain_http",
                "\(place) is not https; plain http is only allowed for the dev network",
                hint: "use an https URL, or set BSKYAUTH_DEV_NETWORK for a sandbox on this machine")
        case .outsideDevNetwork:
            Failure(
                .network, "outside_dev_network",
                "\(place) is not on this machine, and BSKYAUTH_DEV_NETWORK allows only this machine",
                hint: "unset BSKYAUTH_DEV_NETWORK")
        case .privateAddress
        where ["198.18.", "198.19."].contains(where: { address?.hasPrefix($0) == true }):
            Failure(
                .network, "private_address",
                "\(place) has the address \((address ?? "").escapedForTerminal): a VPN or proxy on this network answers DNS with "
                    + "made-up addresses (fake-IP), so no connection was opened",
                hint: "if you trust that program, add --allow-private-network, or name its proxy:  "
                    + "export HTTPS_PROXY=http://127.0.0.1:PORT")
        case .privateAddress:
            Failure(
                .network, "private_address", "\(place) has a private address, so no connection was opened",
                hint: "if it is your own server, add --allow-private-network")
        }
    }

    static func failure(_ error: IdentityError) -> Failure {
        let subject = error.subject.escapedForTerminal
        switch error.kind {
        case .doesNotExist:
            let isFlawed = if case .flawedDID = error.code { true } else { false }
            let words =
                error.code == .reservedName
                ? "\(subject) ends in a reserved name, which never resolves"
                : isFlawed ? "\(subject) leads to no account: \(cause(error))" : "\(subject) does not exist"
            return Failure(
                .unknownAccount, "identity_not_found", words,
                hint: isFlawed ? hint(error) : "check the spelling: bskyauth login HANDLE")
        case .failedVerification:
            return Failure(
                .verificationFailed, "identity_mismatch", "\(subject) could not be verified: \(cause(error))",
                hint: "log in by DID if you know it: bskyauth login did:plc:…")
        case .unavailable:
            return Failure(
                .network, "identity_unavailable", "\(subject) could not be looked up: \(causes(error))",
                hint: hint(error))
        }
    }

    /// What to do about an identifier that could not be looked up.
    private static func hint(_ error: IdentityError) -> String {
        if ([error] + error.alternatives).contains(where: lasts) {
            return "the account's DID works without this server: bskyauth login did:plc:…"
        }
        if case .invalidDocument = error.code {
            return "ask the owner of \(error.subject.escapedForTerminal)"
        }
        return "run the command again later"
    }

    /// Whether a way to find a handle's DID fails until somebody changes something.
    private static func lasts(_ error: IdentityError) -> Bool {
        guard [.handleWellKnown, .handleService, .handleTextRecord].contains(error.step) else { return false }
        return switch error.code {
        case .status(let status): refusals.contains(status)
        case .flawedDID, .invalidDID, .tooManyRedirects, .redirectTarget: true
        default: false
        }
    }

    /// Why each way failed. DNS comes first, but often it is the server of the handle that people have to look at. A way that found
    /// nothing says nothing.
    private static func causes(_ error: IdentityError) -> String {
        ([error] + error.alternatives.filter { $0.code != .notFound }).map(cause).joined(separator: "; ")
    }

    /// The statuses of a server that does not want to answer, and may not want to later.
    private static let refusals = [401, 403, 451]

    private static func cause(_ error: IdentityError) -> String {
        let place = error.url.map { " (\($0.escapedForTerminal))" } ?? ""
        switch error.code {
        case .reservedName: return "a reserved name"
        case .notFound: return "not found" + place
        case .conflictingRecords: return "its TXT records name different accounts"
        case .invalidDID: return "it does not lead to a DID" + place
        case .flawedDID(let flaw, let found):
            let what = error.step == .handleTextRecord ? "its TXT record" : "the answer"
            return "\(what) is \(quoted(found)): \(words(flaw))" + place
        case .invalidDocument(let problem): return words(problem, of: error.subject) + place
        case .handleMismatch(let claimed):
            return "its DID document claims \(claimed.map(\.description) ?? "no handle")"
        case .unreachableHost: return "its host is not on this network"
        case .textRecords(let error): return cause(error)
        case .transport(let error): return failure(error).message
        case .status(let status):
            return (refusals.contains(status) ? "the server refuses to answer, with " : "") + "HTTP \(status)"
                + place
        case .redirect: return "the server redirects, and bskyauth does not follow redirects here" + place
        case .tooManyRedirects(let limit):
            return "the server redirects more than \(limit) times" + place
        case .redirectTarget(let target?):
            return "the server redirects to \(target.escapedForTerminal), which is not https on port 443"
                + place
        case .redirectTarget(nil): return "the server redirects and does not say where to" + place
        case .malformedAnswer: return "the response has the wrong format" + place
        }
    }

    private static func words(_ flaw: DIDFlaw) -> String {
        switch flaw {
        case .byteOrderMark: "there must be no byte order mark before the DID"
        case .prefix: "here the DID stands alone, without \"did=\""
        case .noPrefix: "the record must begin with \"did=\", in small letters"
        case .quotationMarks: "there must be no quotation marks around the DID"
        case .blank: "there must be no blank in it"
        }
    }

    private static func words(_ problem: InvalidDIDDocument, of subject: String) -> String {
        switch problem {
        case .byteOrderMark: "its DID document has a byte order mark before the JSON"
        case .notJSON: "its DID document is not JSON"
        case .otherSubject(let id?) where DIDFlaw(in: id) != nil:
            "its DID document has the id \(quoted(id)), which is not exactly \(subject.escapedForTerminal)"
        case .noPDS: "its DID document is not valid, because it names no server of the account"
        case .endpointNotAnOrigin:
            "its DID document is not valid, because the address of the account's server has more than a host"
        default: "its DID document is not valid"
        }
    }

    /// A text of a server, in which a byte order mark is visible.
    private static func quoted(_ text: String) -> String {
        "\"\(text.replacing("\u{feff}", with: "<U+FEFF>").escapedForTerminal)\""
    }

    private static func cause(_ error: TextRecordError) -> String {
        let server = error.url.map { "the DNS server \($0.escapedForTerminal)" } ?? "DNS"
        switch error.code {
        case .noAnswer: return "\(server) did not answer"
        case .malformed: return "the answer of \(server) can't be read"
        case .transport(let error): return failure(error).message
        case .status(let status): return "\(server) answered HTTP \(status)"
        case .mediaType: return "the answer of \(server) is not a DNS message"
        }
    }
}
