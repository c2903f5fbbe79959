internal import HTTPTypes
internal import Networking

extension HandleResolver {
    /// The DID in the file the handle's host serves (protocol:R5): any 2xx, any media type, a few redirects
    /// to https on its standard port.
    func lookUpWellKnown(of handle: Handle) async throws(IdentityError) -> DID {
        var url = HTTPURL(
            origin: Origin(scheme: .https, host: handle.description), path: "/.well-known/atproto-did")
        for _ in 0...Self.mostRedirects {
            let answer = try await fetch(url, for: handle)
            if !answer.status.isRedirection { return try did(in: answer, from: url, for: handle) }
            guard let location = answer.headerFields.onlyValue(of: .location),
                let next = try? url.resolving(reference: location),
                next.origin.scheme == .https, next.origin.port == 443
            else { throw failure(.redirect, url, handle) }
            url = next
        }
        throw failure(.redirect, url, handle)
    }

    private func fetch(_ url: HTTPURL, for handle: Handle) async throws(IdentityError) -> FetchedResponse {
        do {
            return try await fetcher.get(
                url, accept: "text/plain", limit: Self.longestBody, step: .handleWellKnown,
                subject: handle.description)
        } catch {
            // More than any DID: some page of a site that has nothing to do with the protocol.
            if case .transport(let cause) = error.code, case .tooLarge = cause.code {
                throw failure(.notFound, url, handle)
            }
            throw error
        }
    }

    private func did(
        in answer: FetchedResponse, from url: HTTPURL, for handle: Handle
    ) throws(IdentityError) -> DID {
        guard (200..<300).contains(answer.status) else {
            throw failure(answer.status.isDefiniteRefusal ? .notFound : .status(answer.status), url, handle)
        }
        let text = String(decoding: answer.body.trimmingASCIISpace, as: UTF8.self)
        // Many sites answer every path with a page of theirs: that is no claim to be anyone.
        guard text.hasPrefix("did:") else { throw failure(.notFound, url, handle) }
        do { return try DID(validating: text) } catch { throw failure(.invalidDID(error), url, handle) }
    }

    private func failure(_ code: IdentityError.Code, _ url: HTTPURL, _ handle: Handle) -> IdentityError {
        IdentityError(code, step: .handleWellKnown, subject: handle.description, url: url.withoutQuery)
    }

    private static var mostRedirects: Int { 3 }
    private static var longestBody: Int { 2048 }
}

extension [UInt8] {
    /// The bytes without the white space around them.
    fileprivate var trimmingASCIISpace: ArraySlice<UInt8> {
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0d).contains(byte) }
        let start = firstIndex { !isSpace($0) } ?? endIndex
        let end = lastIndex { !isSpace($0) }.map { $0 + 1 } ?? start
        return self[start..<end]
    }
}
