internal import ATPNetworking
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension Request {
    /// The most bytes of a body.
    private static let bodyLimit = 16 * 1024
    /// How long a body may take to arrive.
    private static let bodyTime = Duration.seconds(10)

    /// The body as JSON. An empty body is an empty object.
    func json<Value: Decodable>(_ type: Value.Type) async throws -> Value {
        let bytes = try await bytes(as: "application/json", mayBeEmpty: true)
        do {
            return try JSONDecoder().decode(type, from: bytes.isEmpty ? Data("{}".utf8) : Data(bytes))
        } catch {
            throw Problem(.badRequest, "invalid_request", "The body is not the JSON that this address takes.")
        }
    }

    /// The body as the fields of a form.
    func form() async throws -> [String: String] {
        let bytes = try await bytes(as: "application/x-www-form-urlencoded", mayBeEmpty: false)
        guard let text = String(validating: bytes, as: UTF8.self), let fields = FormText.parameters(text)
        else {
            throw Problem(.badRequest, "invalid_request", "The form can't be read.")
        }
        return fields
    }

    /// The parameters of the query.
    func query() throws -> [String: String] {
        guard let parameters = FormText.parameters(uri.query ?? "") else {
            throw Problem(
                .badRequest, "invalid_request", "The address has a parameter twice, or can't be read.")
        }
        return parameters
    }

    private func bytes(as type: String, mayBeEmpty: Bool) async throws -> [UInt8] {
        let tooLarge = Problem(
            .contentTooLarge, "too_large",
            "The body has more than \(Self.bodyLimit) bytes. Send a shorter one.")
        if let length = headers[.contentLength].flatMap(Int.init), length > Self.bodyLimit { throw tooLarge }
        let buffer: ByteBuffer
        do {
            buffer = try await withLimit(Self.bodyTime) { [body] in
                try await body.collect(upTo: Self.bodyLimit)
            }
        } catch is NIOTooManyBytesError {
            throw tooLarge
        } catch is LimitReached {
            throw Problem.slowBody
        } catch {
            throw Problem.brokenBody
        }
        if buffer.readableBytes == 0 && mayBeEmpty { return [] }
        let named = headers[.contentType]?.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        guard named == type else {
            throw Problem(.unsupportedMediaType, "wrong_type", "Send the body as \(type).")
        }
        return Array(buffer.readableBytesView)
    }

    /// Refuses a request that a page of another site may have made (Fetch Metadata; RFC 6454).
    func requireSameOrigin(_ own: Origin) throws {
        let site = headers[values: .fetchSite]
        if !site.isEmpty {
            guard site == ["same-origin"] else { throw Problem.foreignOrigin }
        } else {
            guard headers[values: .origin] == [own.description] else { throw Problem.foreignOrigin }
        }
    }

    /// The sealed session of the `Authorization` header; nil without the header (RFC 6750 §2.1).
    func bearer() throws -> String? {
        let values = headers[values: .authorization]
        if values.isEmpty { return nil }
        let parts = values[0].split(separator: " ", maxSplits: 1)
        guard values.count == 1, parts.count == 2, parts[0].lowercased() == "bearer" else {
            throw Problem.sessionEnded
        }
        return String(parts[1])
    }
}

/// The cookies of the server. The prefix `__Host-` has browsers accept them from this host alone, over TLS, for all paths
/// (RFC 6265bis §4.1.3.2). `__Secure-` has them accept a cookie over TLS alone.
enum ServerCookie: String {
    /// The sealed session of a browser.
    case session = "__Host-sid"
    /// Binds a login to the browser that began it.
    case login = "__Host-login"
    /// The sealed session of a browser for the protected sites. It is good for `/auth` and its pages alone.
    case site = "__Secure-bskyauth"

    /// The value of the cookie; nil if there is none or more than one.
    func value(in request: Request) -> String? {
        let values = values(in: request)
        return values.count == 1 ? values[0] : nil
    }

    /// All values of the cookie. The name is compared byte for byte: other sites of the domain can set a cookie whose name only
    /// looks the same, for example with a space of Unicode before it.
    func values(in request: Request) -> [String] {
        let cookies = request.headers[values: .cookie].flatMap { $0.utf8.split(separator: UInt8(ascii: ";")) }
        return cookies.compactMap { cookie -> String? in
            let pair = cookie.drop { $0 == 0x20 || $0 == 0x09 }
            guard pair.starts(with: rawValue.utf8), pair.dropFirst(rawValue.utf8.count).first == 0x3d else {
                return nil
            }
            return String(pair.dropFirst(rawValue.utf8.count + 1))
        }
    }

    /// The header that sets the cookie; zero seconds remove it.
    ///
    /// - Parameter domain: the domain whose hosts get it; nil for this host alone.
    func header(_ value: String, seconds: Int, domain: String?) -> String {
        let place = domain.map { "; Domain=\($0)" } ?? ""
        return
            "\(rawValue)=\(value); Path=/\(place); Max-Age=\(max(0, seconds)); Secure; HttpOnly; SameSite=Lax"
    }
}

extension Response {
    mutating func set(_ cookie: ServerCookie, _ value: String, seconds: Int, domain: String? = nil) {
        headers.append(
            HTTPField(name: .setCookie, value: cookie.header(value, seconds: seconds, domain: domain)))
    }

    mutating func remove(_ cookie: ServerCookie, domain: String? = nil) {
        set(cookie, "", seconds: 0, domain: domain)
    }
}
