internal import ATProto
internal import HTTPTypes
internal import Networking
internal import Platform

/// Looks up TXT records at one server over https (DNS queries over HTTPS, RFC 8484).
///
/// Nothing that the answer says about its own age is looked at: how long an identity may be kept is not for
/// DNS to say (protocol:R10).
struct HTTPSTextRecords: TextRecordResolver {
    private let transport: any HTTPTransport
    private let server: HTTPURL

    /// - Parameters:
    ///   - transport: should reach private addresses too. The server is one that the person has chosen, often
    ///     their own at home or on this machine, and its certificate has to name it: no stranger's document can
    ///     lead there, which is what the refusal of private addresses is for (protocol:R7).
    ///   - server: an https URL as its operator tells it, such as `https://dns.example/dns-query`.
    init(transport: any HTTPTransport, server: HTTPURL) {
        self.transport = transport
        self.server = server
    }

    /// Asks with POST, which every server takes (RFC 8484 §4.1) and which writes no name into a URL.
    func textRecords(for name: String) async throws(TextRecordError) -> [String] {
        // No such name can be in DNS, so nothing is there.
        guard let query = DNSMessage.textQuery(for: name) else { return [] }
        let answer = try await message(answering: query)
        do throws(DNSResolver.Failure) {
            return try DNSMessage.textRecords(in: answer, answering: query)
        } catch {
            throw TextRecordError(reading: error, url: server.withoutQuery)
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
        // Redirects, too, are no answer: the names would go to somebody whom nobody chose.
        guard answer.status == 200 else { throw failure(.status(answer.status)) }
        guard answer.mediaType == Self.mediaType else { throw failure(.mediaType) }
        return answer.body
    }

    private static let mediaType = "application/dns-message"
    /// What the length field of DNS over TCP can say (RFC 1035 §4.2.2, RFC 8484 §6).
    private static let longestMessage = 65535
    /// As long as the system's resolver is waited for.
    private static let timeouts = Timeouts(connect: .seconds(5), total: .seconds(5))
}
