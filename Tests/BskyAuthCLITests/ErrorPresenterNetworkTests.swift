import ATPCryptography
import ATPNetworking
import ATProtoOAuth
import ATProtoSessions
import ATProtoXRPC
import BskyAuthCovers
import HTTPTypes
import OAuthDPoP
import Testing

@testable import ATProtoIdentity
@testable import BskyAuthCLI
@testable import BskyAuthCore

@Suite("ErrorPresenter: network and servers") struct ErrorPresenterNetworkTests {
    private let hostile = ErrorCase.hostile

    private var query: XRPCRequest {
        get throws { XRPCRequest(.query, try NSID(validating: "a.b.c")) }
    }

    private func transport(_ code: TransportError.Code, wasSent: Bool = false) -> TransportError {
        TransportError(
            code, requestWasSent: wasSent, url: "https://pds.example.com/\(hostile)", detail: hostile)
    }

    @Test("transport", .covers("C14")) func transport() {
        let cases: [(TransportError.Code, String, ExitStatus)] = [
            (.refused(.plainHTTP), "plain_http", .network),
            (.refused(.outsideDevNetwork), "outside_dev_network", .network),
            (.refused(.privateAddress), "private_address", .network),
            (.nameNotResolved, "name_not_resolved", .network), (.notConnected, "not_connected", .network),
            (.untrusted, "tls", .network), (.handshakeFailed, "tls", .network),
            (.timedOut, "timed_out", .network),
            (.tooLarge(limit: 5), "too_large", .network), (.connectionLost, "connection_lost", .network),
            (.bodyUnreadable, "input_unreadable", .failure), (.cancelled, "interrupted", .interrupted),
            (.unavailable, "transport", .failure),
        ]
        for (code, name, status) in cases {
            ErrorCase(any: transport(code), name, status).check()
            ErrorCase(.oauth(OAuthError(.transport(transport(code)), endpoint: .token), nil), name, status)
                .check()
        }
        ErrorCase(any: TransportError(.unavailable, requestWasSent: false), "transport", .failure)
            .check()
    }

    @Test("a made-up address and a missing intermediate certificate are named, with a way on")
    func namedCauses() {
        func failure(_ code: TransportError.Code, _ detail: String) -> Failure {
            ErrorPresenter.failure(
                TransportError(code, requestWasSent: false, url: "https://pds.example.com/x", detail: detail))
        }
        let fake = failure(.refused(.privateAddress), "198.18.0.7")
        #expect(fake.code == "private_address" && fake.message.contains("made-up addresses (fake-IP)"))
        #expect(fake.message.contains("198.18.0.7") && fake.hint?.contains("--allow-private-network") == true)
        #expect(!failure(.refused(.privateAddress), "10.0.0.7").message.contains("fake-IP"))
        let chain = failure(.untrusted, "unable to get local issuer certificate")
        #expect(chain.code == "tls" && chain.message.contains("may send no intermediate certificate"))
        #expect(chain.hint?.hasSuffix("openssl s_client -showcerts -connect pds.example.com:443") == true)
    }

    @Test("a flaw in what was published is shown, and the owner or the DID leads on") func flaws() {
        func failure(_ code: IdentityError.Code, _ step: IdentityError.Step) -> Failure {
            ErrorPresenter.failure(IdentityError(code, step: step, subject: "alice.example.com"))
        }
        let file = failure(.flawedDID(.byteOrderMark, found: "\u{feff}did:plc:x"), .handleWellKnown)
        #expect(file.message.contains("\"<U+FEFF>did:plc:x\": there must be no byte order mark"))
        #expect(file.hint?.hasSuffix("bskyauth login did:plc:…") == true)
        let record = failure(.flawedDID(.noPrefix, found: "did:plc:x"), .handleTextRecord)
        #expect(
            record.message.contains("its TXT record is \"did:plc:x\": the record must begin with \"did=\""))
        let document = failure(.invalidDocument(.byteOrderMark), .didDocument)
        #expect(document.message.contains("byte order mark") && document.hint?.contains("owner") == true)
        #expect(
            failure(.tooManyRedirects(limit: 3), .handleWellKnown).message
                .contains("redirects more than 3 times"))
    }

    @Test("identity") func identity() throws {
        let cases: [(IdentityError.Code, String, ExitStatus)] = [
            (.reservedName, "identity_not_found", .unknownAccount),
            (.notFound, "identity_not_found", .unknownAccount),
            (.conflictingRecords, "identity_mismatch", .verificationFailed),
            (.handleMismatch(claimed: nil), "identity_mismatch", .verificationFailed),
            (
                .handleMismatch(claimed: try Handle(validating: "a.example.com")), "identity_mismatch",
                .verificationFailed
            ),
            (.invalidDocument(.otherSubject(hostile)), "identity_mismatch", .verificationFailed),
            (.invalidDocument(.noPDS), "identity_unavailable", .network),
            (.invalidDID(InvalidDID(.unsupportedMethod(hostile))), "identity_unavailable", .network),
            (.flawedDID(.prefix, found: hostile), "identity_not_found", .unknownAccount),
            (.tooManyRedirects(limit: 3), "identity_unavailable", .network),
            (.redirectTarget(hostile), "identity_unavailable", .network),
            (.redirectTarget(nil), "identity_unavailable", .network),
            (.invalidDocument(.byteOrderMark), "identity_unavailable", .network),
            (.unreachableHost, "identity_unavailable", .network),
            (.textRecords(TextRecordError(.noAnswer)), "identity_unavailable", .network),
            (.textRecords(TextRecordError(.malformed, url: hostile)), "identity_unavailable", .network),
            (.textRecords(TextRecordError(.mediaType, url: hostile)), "identity_unavailable", .network),
            (.textRecords(TextRecordError(.status(503), url: hostile)), "identity_unavailable", .network),
            (
                .textRecords(TextRecordError(.transport(transport(.untrusted)))), "identity_unavailable",
                .network
            ),
            (.transport(transport(.timedOut)), "identity_unavailable", .network),
            (.status(500), "identity_unavailable", .network), (.redirect, "identity_unavailable", .network),
            (.malformedAnswer, "identity_unavailable", .network),
        ]
        for (code, name, status) in cases {
            for url in [nil, "https://a.example.com/\(hostile)"] {
                let error = IdentityError(code, step: .didDocument, subject: "alice\(hostile)", url: url)
                ErrorCase(any: error, name, status).check()
            }
        }
    }

    @Test("discovery") func discovery() throws {
        let issuer = #expect(throws: InvalidIssuer.self) {
            try Issuer(validating: hostile, profile: .atproto, policy: NetworkPolicy())
        }
        let cases: [(DiscoveryError.Code, String, ExitStatus)] = [
            (.transport(transport(.untrusted)), "tls", .network), (.status(503), "discovery", .serverError),
            (.status(404), "discovery", .network),
            (.redirect, "metadata_redirect", .verificationFailed), (.mediaType, "discovery", .network),
            (.malformed(nil), "discovery", .network),
            (.missing("issuer"), "unacceptable_metadata", .verificationFailed),
            (.unacceptable(hostile), "unacceptable_metadata", .verificationFailed),
            (.issuerMismatch(expected: Sample.pds, found: hostile), "issuer_mismatch", .verificationFailed),
            (
                .resourceMismatch(expected: Sample.pds, found: hostile), "resource_mismatch",
                .verificationFailed
            ),
            (.resourceNotProtected(hostile), "resource_mismatch", .verificationFailed),
            (.invalidIssuer(try #require(issuer)), "invalid_issuer", .verificationFailed),
        ]
        for (code, name, status) in cases {
            let error = DiscoveryError(
                code, document: .protectedResource, url: "https://a.example.com/\(hostile)")
            ErrorCase(any: error, name, status).check()
        }
    }

    @Test("the authorization server") func oauth() throws {
        func response(_ status: Int, _ error: String?) -> OAuthError.Code {
            .response(OAuthErrorResponse(status: status, error: error, description: hostile))
        }
        let cases: [(OAuthError.Code, String, ExitStatus)] = [
            (response(400, "invalid_scope"), "refused", .refused),
            (response(400, hostile), "refused", .refused),
            (response(403, nil), "refused", .refused),
            (
                .response(OAuthErrorResponse(status: 403, error: nil, description: nil)), "server_error",
                .serverError
            ),
            (response(429, "slow_down"), "rate_limited", .rateLimited),
            (response(503, nil), "server_error", .serverError),
            (.malformedResponse(status: 200), "malformed_response", .network),
            (.nonceRefused, "nonce_refused", .refused), (.unsupported, "unsupported", .refused),
            (.cryptography(.invalidPrivateKey), "cryptography", .failure),
        ]
        let endpoints: [OAuthError.Endpoint] = [
            .pushedAuthorizationRequest, .token, .refresh, .revocation, .resource,
        ]
        for (code, name, status) in cases {
            for endpoint in endpoints {
                for login in [nil, AccountLogin(try Sample.account(label: "work"), try Sample.session())] {
                    guard login != nil || name != "unsupported" else { continue }
                    ErrorCase(.oauth(OAuthError(code, endpoint: endpoint), login), name, status).check()
                }
            }
        }
        let unanswered = OAuthError(.transport(transport(.timedOut, wasSent: true)), endpoint: .refresh)
        let alice = AccountLogin(try Sample.account(), try Sample.session())
        ErrorCase(.oauth(unanswered, alice), "refresh_unanswered", .network).check()
    }

    @Test("a clock that is wrong is told apart", arguments: [(400 as Int64, "behind"), (-400, "ahead")])
    func skew(seconds: Int64, direction: String) {
        let response = OAuthErrorResponse(status: 400, error: "invalid_dpop_proof", description: nil)
        let error = OAuthError(.response(response), endpoint: .token, skew: seconds)
        ErrorCase(.oauth(error, nil), "clock_skew", .refused).check()
        #expect(
            ErrorPresenter.failure(SessionFailure.oauth(error, nil)).message.contains("7 min \(direction)"))
        let far = OAuthError(.response(response), endpoint: .token, skew: seconds.signum() * 12 * 86400)
        #expect(
            ErrorPresenter.failure(SessionFailure.oauth(far, nil)).message.contains("12 days \(direction)"))
    }

    @Test("the browser's answer") func authorization() {
        let cases: [(AuthorizationResponseError, String, ExitStatus)] = [
            (.malformed, "bad_callback", .verificationFailed),
            (.stateMissing, "wrong_state", .verificationFailed),
            (.stateMismatch, "wrong_state", .verificationFailed),
            (.issuerMissing, "missing_issuer", .verificationFailed),
            (.issuerMismatch(found: hostile), "issuer_mismatch", .verificationFailed),
            (.codeMissing, "bad_callback", .verificationFailed),
            (.refused(error: "access_denied", description: hostile), "access_denied", .declined),
            (.refused(error: "server_error", description: nil), "refused", .refused),
            (.refused(error: "", description: nil), "refused", .refused),
            (.refused(error: hostile, description: nil), "refused", .refused),
        ]
        for (error, name, status) in cases { ErrorCase(any: error, name, status).check() }
    }

    @Test(
        "XRPC",
        arguments: [
            (400, "InvalidRequest", "refused", ExitStatus.refused), (404, nil, "refused", .refused),
            (400, "vault_locked", "refused", .refused), (403, "Evil\u{202e}", "refused", .refused),
            (429, "RateLimitExceeded", "rate_limited", .rateLimited),
            (500, nil, "server_error", .serverError),
            (502, "UpstreamFailure", "server_error", .serverError),
        ] as [(Int, String?, String, ExitStatus)])
    func xrpc(status: Int, name: String?, code: String, exit: ExitStatus) throws {
        let error = XRPCError(status: status, name: name, message: hostile)
        let failure = ErrorPresenter.failure(
            CallRefusal(try query, error, from: .account(try Sample.account(), nil)))
        #expect(failure.code == code && failure.status == exit && failure.http == status)
        #expect(failure.serverError == name?.escapedForTerminal)
        #expect(failure.serverError?.contains("\u{202e}") != true)
        #expect(failure.message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
        #expect(failure.hint?.isEmpty == false && failure.account == "@alice.example.com")
    }

    private static let view = "did:web:api.bsky.app%23bsky_appview"

    @Test(
        "a missing scope names what the call needs, and the login that gets it", .covers("S8"),
        arguments: [
            // What the call needs is known here, whatever the server names.
            (
                "app.bsky.feed.getTimeline", "transition:generic", "atproto blob:*/*",
                "lacks the scope \"rpc:app.bsky.feed.getTimeline?aud=\(view)\" (HTTP 403); the server says \"transition:generic\"",
                "LOGIN --scope 'blob:*/*' --scope 'rpc:app.bsky.feed.getTimeline?aud=\(view)'"
            ),
            // No permission can name a DID alone.
            (
                "app.bsky.feed.getTimeline", "rpc:app.bsky.feed.getTimeline?aud=did:web:api.bsky.app",
                "atproto",
                "lacks the scope \"rpc:app.bsky.feed.getTimeline?aud=*\"",
                "LOGIN --scope 'rpc:app.bsky.feed.getTimeline?aud=*'"
            ),
            // The set only lacks the audience.
            (
                "app.bsky.feed.getTimeline", "rpc:app.bsky.feed.getTimeline?aud=\(view)",
                "atproto include:app.bsky.authViewAll blob:*/*",
                "lacks the scope \"rpc:app.bsky.feed.getTimeline?aud=\(view)\" (HTTP 403)",
                "LOGIN --scope 'include:app.bsky.authViewAll?aud=\(view)' --scope 'blob:*/*'"
            ),
            (
                "app.bsky.feed.getTimeline", "rpc:app.bsky.feed.getTimeline?aud=\(view)",
                "atproto rpc:*?aud=\(view)", "lacks the scope",
                "the login asked for it, so leave it ticked at the sign-in page:  LOGIN --scope 'rpc:*?aud=\(view)'"
            ),
            // The set has it, and yet the session does not.
            (
                "app.bsky.feed.getTimeline", "rpc:app.bsky.feed.getTimeline?aud=\(view)",
                "atproto include:app.bsky.authViewAll?aud=\(view)", "lacks the scope",
                "the server may have an older copy of the set, so ask for the scope by itself:  LOGIN "
                    + "--scope 'include:app.bsky.authViewAll?aud=\(view)' "
                    + "--scope 'rpc:app.bsky.feed.getTimeline?aud=\(view)'"
            ),
            // A server may have another AppView.
            (
                "app.bsky.feed.getTimeline", "rpc:app.bsky.feed.getTimeline?aud=did:web:x.example%23y",
                "atproto",
                "lacks the scope \"rpc:app.bsky.feed.getTimeline?aud=did:web:x.example%23y\" (HTTP 403)",
                "LOGIN --scope 'rpc:app.bsky.feed.getTimeline?aud=did:web:x.example%23y'"
            ),
            (
                "app.bsky.feed.getTimeline", "rpc:app.bsky.feed.getLikes?aud=did:web:x.example%23y",
                "atproto", "lacks the scope \"rpc:app.bsky.feed.getTimeline?aud=\(view)\" (HTTP 403)",
                "LOGIN --scope 'rpc:app.bsky.feed.getTimeline?aud=\(view)'"
            ),
            (
                "app.bsky.feed.getTimeline", "rpc:app.bsky.feed.getTimeline?aud=*", "atproto",
                "lacks the scope \"rpc:app.bsky.feed.getTimeline?aud=\(view)\" (HTTP 403)",
                "LOGIN --scope 'rpc:app.bsky.feed.getTimeline?aud=\(view)'"
            ),
            (
                "app.bsky.feed.getFeed", "rpc:app.bsky.feed.getFeedSkeleton?aud=did:web:x.example%23y",
                "atproto",
                "lacks the scopes \"rpc:app.bsky.feed.getFeed?aud=did:web:x.example%23y\", "
                    + "\"rpc:app.bsky.feed.getFeedSkeleton?aud=did:web:x.example%23y\" (HTTP 403)",
                "LOGIN --scope 'rpc:app.bsky.feed.getFeed?aud=did:web:x.example%23y' "
                    + "--scope 'rpc:app.bsky.feed.getFeedSkeleton?aud=did:web:x.example%23y'"
            ),
            // Such a server compares a DID alone, in each of its checks.
            (
                "app.bsky.feed.getFeed", "rpc:app.bsky.feed.getFeed?aud=did:web:api.bsky.app", "atproto",
                "lacks the scopes \"rpc:app.bsky.feed.getFeed?aud=*\", \"rpc:app.bsky.feed.getFeedSkeleton?aud=*\"",
                "LOGIN --scope 'rpc:app.bsky.feed.getFeed?aud=*' --scope 'rpc:app.bsky.feed.getFeedSkeleton?aud=*'"
            ),
            (
                "app.bsky.feed.getFeed", "rpc:app.bsky.feed.getFeedSkeleton?aud=did:web:api.bsky.app",
                "atproto", "lacks the scopes",
                "LOGIN --scope 'rpc:app.bsky.feed.getFeed?aud=*' --scope 'rpc:app.bsky.feed.getFeedSkeleton?aud=*'"
            ),
            // A method that is not known here: only a permission for this method, at one service.
            (
                "a.b.c", "rpc:a.b.c?aud=did:web:x.example%23y", "atproto",
                "lacks the scope \"rpc:a.b.c?aud=did:web:x.example%23y\" (HTTP 403)",
                "LOGIN --scope 'rpc:a.b.c?aud=did:web:x.example%23y'"
            ),
            (
                "a.b.c", "rpc:a.b.c?aud=did:web:x.example", "atproto",
                "lacks the scope \"rpc:a.b.c?aud=*\"", "LOGIN --scope 'rpc:a.b.c?aud=*'"
            ),
            (
                "a.b.c", "rpc:a.b.d?aud=did:web:x.example%23y", "atproto",
                "lacks a scope (HTTP 403); the server says", nil
            ),
            ("a.b.c", "rpc:*?aud=did:web:x.example%23y", "atproto", "lacks a scope", nil),
            ("a.b.c", "identity:*", "atproto", "the server says \"identity:*\"", nil),
            ("a.b.c", "transition:generic", "atproto", "the server says \"transition:generic\"", nil),
            ("a.b.c", "blob:*/*", "atproto", "the server says \"blob:*/*\"", nil),
        ] as [(String, String, String, String, String?)])
    func scope(method: String, claim: String, asked: String, says: String, hint: String?) throws {
        let error = XRPCError(
            status: 403, name: "ScopeMissingError", message: "Missing required scope \"\(claim)\"")
        let account = try Sample.account(label: "work")
        let login = AccountLogin(account, try Sample.session(requestedScope: asked))
        let request = XRPCRequest(.query, try NSID(validating: method))
        let failure = ErrorPresenter.failure(
            CallRefusal(request, error, from: .account(login.account, login.terms)))
        #expect(failure.status == .scopeMissing && failure.code == "scope_missing")
        #expect(failure.message.contains(says), "\(failure.message)")
        let command = "bskyauth login alice.example.com --label work"
        #expect(
            failure.hint == hint?.replacing("LOGIN", with: command)
                ?? "bskyauth accounts show \(account.id.text.prefix(8))")
    }

    @Test("a service that the caller named counts, whatever the server names", .covers("S8", "X8"))
    func namedService() throws {
        let proxy = try #require(HTTPField.Name.atprotoProxy)
        let request = XRPCRequest(
            .query, try NSID(validating: "app.bsky.feed.getTimeline"),
            headerFields: [proxy: "did:web:a.example#b"])
        let error = XRPCError(
            status: 403, name: "ScopeMissingError",
            message: "Missing required scope \"rpc:app.bsky.feed.getTimeline?aud=did:web:x.example%23y\"")
        let login = AccountLogin(try Sample.account(), try Sample.session(requestedScope: "atproto"))
        let failure = ErrorPresenter.failure(
            CallRefusal(request, error, from: .account(login.account, login.terms)))
        #expect(
            failure.hint
                == "bskyauth login alice.example.com --scope 'rpc:app.bsky.feed.getTimeline?aud=did:web:a.example%23b'"
        )
    }

    @Test("a missing scope is not one that the session has", .covers("S8"))
    func grantedScope() throws {
        let error = XRPCError(
            status: 403, name: "ScopeMissingError", message: "Missing required scope \"repo:a.b.c\"")
        let request = XRPCRequest(
            .procedure, try NSID(validating: "com.atproto.repo.putRecord"),
            body: .bytes(Array(#"{"collection":"a.b.c"}"#.utf8)))
        let login = AccountLogin(
            try Sample.account(), try Sample.session(requestedScope: "atproto repo:a.b.c?action=create"))
        func failure(_ granted: String) -> Failure {
            ErrorPresenter.failure(
                CallRefusal(
                    request, error, from: .account(login.account, login.terms), granted: Scope(granted)))
        }
        let one = failure("atproto repo:a.b.c?action=create")
        #expect(one.message.contains("lacks the scope \"repo:a.b.c?action=update\" (HTTP 403)"))
        let whole = failure("atproto repo:a.b.c?action=update&action=create")
        #expect(whole.message.contains("lacks a scope (HTTP 403); the server says \"repo:a.b.c\""))
        #expect(whole.hint == "bskyauth accounts show \(login.account.id.text.prefix(8))")
        #expect(
            failure("").message.contains(
                "lacks the scopes \"repo:a.b.c?action=create\", \"repo:a.b.c?action=update\" (HTTP 403)"))
    }

    @Test("nothing is added to a scope that is not known")
    func unknownScope() throws {
        let error = XRPCError(
            status: 403, name: "ScopeMissingError", message: "Missing required scope \"transition:generic\"")
        let session = try Sample.session(
            client: "https://app.example.com/client.json", scope: "atproto repo:app.bsky.feed.post")
        let login = AccountLogin(try Sample.account(), session)
        let failure = ErrorPresenter.failure(
            CallRefusal(
                XRPCRequest(.query, try NSID(validating: "app.bsky.feed.getTimeline")), error,
                from: .account(login.account, login.terms)))
        #expect(
            failure.hint == "bskyauth login alice.example.com --client https://app.example.com/client.json")
    }

    @Test("a wrong guess of the method names -X", .covers("F10")) func wrongMethod() throws {
        let error = XRPCError(
            status: 400, name: "InvalidRequest", message: "Incorrect HTTP method (GET) expected POST")
        let login = AccountLogin(try Sample.account(), try Sample.session())
        let failure = ErrorPresenter.failure(
            CallRefusal(try query, error, from: .account(login.account, login.terms)))
        #expect(failure.hint == "bskyauth call -X procedure a.b.c …")
    }

    @Test(
        "a method that the server does not know is not worth another try, and the right name is asked for",
        arguments: [
            (501, "MethodNotImplemented", "app.bsky.feed.getTimelin", "unknown_method", ExitStatus.refused),
            (404, "XRPCNotSupported", "app.bsky.getTimeline", "unknown_method", .refused),
            (500, "InternalServerError", "app.bsky.feed.getTimelin", "server_error", .serverError),
            (400, "InvalidRequest", "app.bsk.feed.getTimeline", "refused", .refused),
            (429, "RateLimitExceeded", "app.bsky.feed.getTimelin", "rate_limited", .rateLimited),
        ] as [(Int, String, String, String, ExitStatus)])
    func unknownMethod(status: Int, name: String, nsid: String, code: String, exit: ExitStatus) throws {
        let request = XRPCRequest(.query, try NSID(validating: nsid))
        let error = XRPCError(status: status, name: name, message: nil)
        let failure = ErrorPresenter.failure(
            CallRefusal(request, error, from: .account(try Sample.account(), nil)))
        #expect(failure.code == code && failure.status == exit)
        #expect(failure.message.hasSuffix("; did you mean app.bsky.feed.getTimeline?"), "\(failure.message)")
        if code == "unknown_method" { #expect(failure.hint == "bskyauth call app.bsky.feed.getTimeline …") }
    }

    @Test(
        "a method of the lexicons, or one like none of them, is not asked for by another name",
        arguments: [
            ("app.bsky.feed.getTimeline", "bskyauth help app.bsky.feed.getTimeline"),
            ("com.example.thing.make", "bskyauth call --proxy DID#SERVICE com.example.thing.make …"),
            (
                "com.example.server.getSession",
                "bskyauth call --proxy DID#SERVICE com.example.server.getSession …"
            ),
        ])
    func known(nsid: String, hint: String) throws {
        let request = XRPCRequest(.query, try NSID(validating: nsid))
        let error = XRPCError(status: 501, name: "MethodNotImplemented", message: nil)
        let failure = ErrorPresenter.failure(
            CallRefusal(request, error, from: .account(try Sample.account(), nil)))
        #expect(!failure.message.contains("did you mean"), "\(failure.message)")
        #expect(failure.hint?.hasSuffix(hint) == true, "\(failure.hint ?? "")")
    }

    @Test("a method that needs an account says so to a call without one") func anonymous() throws {
        let error = XRPCError(status: 401, name: "AuthMissing", message: nil)
        let server = Origin(scheme: .https, host: "api.example.com")
        let failure = ErrorPresenter.failure(CallRefusal(try query, error, from: .anonymous(server)))
        #expect(failure.status == .refused && failure.serverError == "AuthMissing" && failure.http == 401)
        #expect(failure.hint == "this method needs an account: leave out --anonymous")
        #expect(failure.account == nil)
    }

    @Test("each way that failed is named, and one that found nothing is not", arguments: [502, 403])
    func ways(status: Int) {
        func error(_ code: IdentityError.Code, _ step: IdentityError.Step) -> IdentityError {
            IdentityError(code, step: step, subject: "alice.example.com", url: "https://alice.example.com/x")
        }
        var dns = error(.textRecords(.noAnswer), .handleTextRecord)
        dns.alternatives = [error(.status(status), .handleWellKnown)]
        let failure = ErrorPresenter.failure(dns)
        #expect(failure.message.contains("DNS did not answer; "), "\(failure.message)")
        #expect(failure.message.contains("HTTP \(status) (https://alice.example.com/x)"))
        #expect(failure.hint?.contains("did:plc") == (status == 403))
        dns.alternatives = [error(.notFound, .handleWellKnown)]
        #expect(ErrorPresenter.failure(dns).message.hasSuffix("DNS did not answer"))
    }
}
