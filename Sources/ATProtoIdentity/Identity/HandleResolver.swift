internal import ATPJSON
package import ATPNetworking
internal import HTTPTypes

/// Finds the DID that a handle points to (atproto.com/specs/handle#handle-resolution; protocol:R3-R7, R11).
///
/// The result is only a claim of the domain's owner. ``IdentityResolver`` checks it against the document of the
/// DID.
package struct HandleResolver: Sendable {
    private let textRecords: any TextRecordResolver
    private let fetcher: IdentityFetcher
    private let service: Origin?

    /// - Parameter service: a server to ask instead of DNS and the handle's own host (protocol:R11). On the
    ///   dev network it is the network itself, because DNS has no names of the dev network.
    package init(
        transport: any HTTPTransport, textRecords: any TextRecordResolver, policy: NetworkPolicy,
        service: Origin? = nil
    ) {
        self.textRecords = textRecords
        self.fetcher = IdentityFetcher(transport: transport, policy: policy)
        self.service = service ?? policy.devNetwork
    }

    /// The DID of a handle, never from a cache.
    package func did(of handle: Handle) async throws(IdentityError) -> DID {
        guard !handle.isReserved(onDevNetwork: fetcher.policy.devNetwork != nil) else {
            throw IdentityError(.reservedName, step: .name, subject: handle.description)
        }
        if let service { return try await lookUp(handle, at: service) }
        return try await lookUpBothWays(handle)
    }
}

// MARK: - DNS and the handle's host together

extension HandleResolver {
    /// Asks DNS and the handle's host at once. DNS outranks the host, so the host's answer counts only if DNS has
    /// none (protocol:R6).
    private func lookUpBothWays(_ handle: Handle) async throws(IdentityError) -> DID {
        async let wellKnown = wellKnownResult(of: handle)
        do {
            return try await lookUpTextRecord(of: handle)
        } catch {
            guard error.code != .conflictingRecords else { throw error }
            return try Self.combine(error, await wellKnown).get()
        }
    }

    private func wellKnownResult(of handle: Handle) async -> Result<DID, IdentityError> {
        do { return .success(try await lookUpWellKnown(of: handle)) } catch { return .failure(error) }
    }

    /// The result when DNS gave no DID. A failure holds both errors.
    private static func combine(
        _ textRecordError: IdentityError, _ wellKnown: Result<DID, IdentityError>
    ) -> Result<DID, IdentityError> {
        guard case .failure(var other) = wellKnown else { return wellKnown }
        var first = textRecordError
        guard first.code == .notFound else {
            first.alternatives = [other]
            return .failure(first)
        }
        // DNS works, so a host without an address is a definite answer: the host has no file either.
        if case .transport(let error) = other.code, error.code == .nameNotResolved {
            other = IdentityError(.notFound, step: other.step, subject: other.subject, url: other.url)
        }
        other.alternatives = [first]
        return .failure(other)
    }
}

// MARK: - DNS

extension HandleResolver {
    /// The DID in the TXT record at `_atproto.` before the handle (protocol:R4).
    private func lookUpTextRecord(of handle: Handle) async throws(IdentityError) -> DID {
        try await textRecords.did(
            at: "_atproto.\(handle)", step: .handleTextRecord, subject: handle.description)
    }
}

// MARK: - The handle's host

extension HandleResolver {
    /// The DID in the file that the handle's host serves (protocol:R5). Accepts any 2xx status and any media
    /// type, and follows a few redirects to https on the standard port.
    private func lookUpWellKnown(of handle: Handle) async throws(IdentityError) -> DID {
        var url = HTTPURL(
            origin: Origin(scheme: .https, host: handle.description), path: "/.well-known/atproto-did")
        for _ in 0...Self.mostRedirects {
            let fields: HTTPFields
            switch try await fetch(url, for: handle) {
            case .document(_, let body): return try did(in: body, from: url, for: handle)
            case .absent: throw failure(.notFound, url, handle)
            case .unclear(let status, _): throw failure(.status(status), url, handle)
            case .redirect(let received): fields = received
            }
            guard let location = fields.onlyValue(of: .location), !location.isEmpty else {
                throw failure(.redirectTarget(nil), url, handle)
            }
            guard let next = try? url.resolving(reference: location),
                next.origin.scheme == .https, next.origin.port == 443
            else { throw failure(.redirectTarget(location), url, handle) }
            url = next
        }
        throw failure(.tooManyRedirects(limit: Self.mostRedirects), url, handle)
    }

    private func fetch(_ url: HTTPURL, for handle: Handle) async throws(IdentityError) -> IdentityAnswer {
        do {
            return try await fetcher.get(
                url, accept: "text/plain", limit: Self.longestBody, step: .handleWellKnown,
                subject: handle.description)
        } catch {
            // Every DID is shorter. A longer body is a page of a site that does not use the protocol.
            if case .transport(let cause) = error.code, case .tooLarge = cause.code.kind {
                throw failure(.notFound, url, handle)
            }
            throw error
        }
    }

    private func did(
        in body: [UInt8], from url: HTTPURL, for handle: Handle
    ) throws(IdentityError) -> DID {
        let text = String(decoding: body.trimmingASCIISpace, as: UTF8.self)
        guard text.hasPrefix("did:") else {
            // Many sites answer every path with a page. Such a page claims no DID.
            guard let flaw = DIDFlaw(in: text) else { throw failure(.notFound, url, handle) }
            throw failure(.flawedDID(flaw, found: text), url, handle)
        }
        do { return try DID(validating: text) } catch {
            throw failure(.refusal(of: text, error), url, handle)
        }
    }

    private func failure(_ code: IdentityError.Code, _ url: HTTPURL, _ handle: Handle) -> IdentityError {
        IdentityError(code, step: .handleWellKnown, subject: handle.description, url: url.withoutQuery)
    }

    private static var mostRedirects: Int { 3 }
    private static var longestBody: Int { 2048 }
}

extension [UInt8] {
    /// The bytes without leading and trailing white space.
    fileprivate var trimmingASCIISpace: ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
        let start = firstIndex { !isSpace($0) } ?? endIndex
        let end = lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
        return self[start..<end]
    }
}

extension HTTPURL {
    /// The URL that a `Location` field means (RFC 9110 §10.2.2, RFC 3986 §5.2). Drops a fragment and leaves dot
    /// segments to the server.
    func resolving(reference: String) throws(InvalidURL) -> HTTPURL {
        let text = String(reference.prefix { $0 != "#" })
        let start = text.prefix(8).lowercased()
        if start == "https://" || start.hasPrefix("http://") { return try HTTPURL(validating: text) }
        if text.hasPrefix("//") { return try HTTPURL(validating: "\(origin.scheme.rawValue):\(text)") }
        if text.hasPrefix("/") { return try HTTPURL(validating: "\(origin)\(text)") }
        // A scheme that this program does not support, such as `data:` or `file:`.
        guard !text.isEmpty, !text.prefix(while: { $0 != "/" && $0 != "?" }).contains(":") else {
            throw InvalidURL(.scheme)
        }
        if text.hasPrefix("?") { return try HTTPURL(validating: "\(withoutQuery)\(text)") }
        let directory = path[...(path.lastIndex(of: "/") ?? path.startIndex)]
        return try HTTPURL(validating: "\(origin)\(directory)\(text)")
    }
}

// MARK: - A server that resolves handles

extension HandleResolver {
    /// Asks a server with `com.atproto.identity.resolveHandle` (protocol:R11).
    private func lookUp(_ handle: Handle, at service: Origin) async throws(IdentityError) -> DID {
        let query: FormParameters = ["handle": handle.description]
        let url = HTTPURL(
            origin: service, path: "/xrpc/com.atproto.identity.resolveHandle", query: query.encoded)
        func failure(_ code: IdentityError.Code) -> IdentityError {
            IdentityError(code, step: .handleService, subject: handle.description, url: url.withoutQuery)
        }
        let answer = try await fetcher.get(
            url, accept: "application/json", limit: Self.longestAnswer, step: .handleService,
            subject: handle.description)
        switch answer {
        case .document(200, let body):
            guard let text = (try? JSONParser.parse(body, leniency: Self.leniency))?["did"]?.string else {
                throw failure(.malformedAnswer)
            }
            do { return try DID(validating: text) } catch { throw failure(.refusal(of: text, error)) }
        case .absent: throw failure(.notFound)
        case .unclear(400, let body) where await Self.saysNotFound(body): throw failure(.notFound)
        case .document(let status, _), .unclear(let status, _): throw failure(.status(status))
        case .redirect: throw failure(.redirect)
        }
    }

    /// Whether the body of a 400 names an error by which servers say that no account has the handle. A body that can't be
    /// read names none.
    private static func saysNotFound(_ body: ResponseBody) async -> Bool {
        guard let bytes = try? await body.collect(upTo: longestAnswer),
            let name = (try? JSONParser.parse(bytes, leniency: leniency))?["error"]?.string
        else { return false }
        return ["HandleNotFound", "InvalidRequest"].contains(name)
    }

    private static var longestAnswer: Int { 16384 }
    /// A flaw elsewhere in the answer hides neither the DID nor the name of the error.
    private static var leniency: JSONFlaws { .halfSurrogates }
}
