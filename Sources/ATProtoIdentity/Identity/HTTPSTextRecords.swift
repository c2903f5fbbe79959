public import ATPNetworking
internal import HTTPTypes

/// Looks up TXT records at one server by DNS over HTTPS (RFC 8484).
///
/// The HTTP and DNS lifetimes of an answer are ignored: the identity cache has limits of its own
/// (protocol:R10).
public struct HTTPSTextRecords: TextRecordResolver {
    private let transport: any HTTPTransport
    private let server: HTTPURL

    /// - Parameters:
    ///   - transport: should allow private addresses. The user chooses this server, often one at home or on this
    ///     machine. Private addresses are refused elsewhere because a document from the network could point at
    ///     them (protocol:R7), and no document can choose this server.
    ///   - server: the https URL that the server's operator publishes, such as `https://dns.example/dns-query`.
    public init(transport: any HTTPTransport, server: HTTPURL) {
        self.transport = transport
        self.server = server
    }

    /// Sends the query by POST. Every server accepts POST (RFC 8484 §4.1), and the name stays out of the URL.
    public func textRecords(for name: String) async throws(TextRecordError) -> [String] {
        // DNS can't hold this name, so it has no records.
        guard let query = DNSMessage.textQuery(for: name) else { return [] }
        let answer = try await message(answering: query)
        do {
            return try DNSMessage.textRecords(in: answer, answering: query)
        } catch {
            throw TextRecordError(error.code, url: server.withoutQuery)
        }
    }

    private func message(answering query: [UInt8]) async throws(TextRecordError) -> [UInt8] {
        func failure(_ code: TextRecordError.Code) -> TextRecordError {
            TextRecordError(code, url: server.withoutQuery)
        }
        let request = TransportRequest(
            method: .post, url: server,
            headerFields: [.accept: Self.mediaType, .contentType: Self.mediaType], body: .bytes(query),
            timeouts: Self.timeouts)
        let answer: FetchedResponse
        do {
            answer = try await transport.fetch(request, limit: Self.longestMessage)
        } catch {
            throw failure(.transport(error))
        }
        // A redirect is refused too: it would send the names to a server that the user did not choose.
        guard answer.status == 200 else { throw failure(.status(answer.status)) }
        guard answer.mediaType == Self.mediaType else { throw failure(.mediaType) }
        return answer.body
    }

    private static let mediaType = "application/dns-message"
    /// The longest DNS message in bytes (RFC 1035 §4.2.2, RFC 8484 §6).
    private static let longestMessage = 65535
    /// The same limit as for the system's resolver.
    private static let timeouts = Timeouts(connect: .seconds(5), total: .seconds(5))
}
