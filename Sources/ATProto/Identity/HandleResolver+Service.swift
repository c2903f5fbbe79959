internal import JSON
internal import Networking

extension HandleResolver {
    /// Asks a server with `com.atproto.identity.resolveHandle` (protocol:R11).
    func lookUp(_ handle: Handle, at service: Origin) async throws(IdentityError) -> DID {
        let query: FormParameters = ["handle": handle.description]
        let url = HTTPURL(
            origin: service, path: "/xrpc/com.atproto.identity.resolveHandle", query: query.encoded)
        func failure(_ code: IdentityError.Code) -> IdentityError {
            IdentityError(code, step: .handleService, subject: handle.description, url: url.withoutQuery)
        }
        let answer = try await fetcher.get(
            url, accept: "application/json", limit: 16384, step: .handleService, subject: handle.description)
        guard answer.status == 200 else {
            // Servers say "HandleNotFound" or "InvalidRequest", with 400 or 404.
            throw failure(answer.status.isDefiniteRefusal ? .notFound : .status(answer.status))
        }
        guard let text = (try? JSONParser.parse(answer.body))?["did"]?.string else {
            throw failure(.malformedAnswer)
        }
        do { return try DID(validating: text) } catch { throw failure(.invalidDID(error)) }
    }
}
