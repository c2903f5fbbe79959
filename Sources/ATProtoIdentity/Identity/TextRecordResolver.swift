package import ATPNetworking

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Looks up DNS TXT records. Each implementation has a time limit of a few seconds.
public protocol TextRecordResolver: Sendable {
    /// The TXT records of a name, with the strings of each record joined (RFC 1035 §3.3.14). Empty if the name or
    /// the records don't exist.
    func textRecords(for name: String) async throws(TextRecordError) -> [String]
}

extension TextRecordResolver {
    /// The DID that the TXT records of a name hold as `did=DID` (atproto.com/specs/handle, atproto.com/specs/lexicon). Other records
    /// are ignored.
    ///
    /// - Parameters:
    ///   - step: the step of an error.
    ///   - subject: what the name was made of, for an error.
    package func did(
        at name: String, step: IdentityError.Step, subject: String
    ) async throws(IdentityError) -> DID {
        func failure(_ code: IdentityError.Code) -> IdentityError {
            IdentityError(code, step: step, subject: subject)
        }
        // DNS can't hold a longer name, so there is no record.
        guard name.utf8.count <= 253 else { throw failure(.notFound) }
        let records: [String]
        do { records = try await textRecords(for: name) } catch { throw failure(.textRecords(error)) }
        // Anyone can publish anything. A DID has at most 2,048 bytes.
        guard records.reduce(0, { $0 + $1.utf8.count }) <= 4096 else {
            throw failure(.textRecords(.malformed))
        }
        let values = Set(records.filter { $0.hasPrefix("did=") }.map { String($0.dropFirst(4)) })
        guard values.count <= 1 else { throw failure(.conflictingRecords) }
        guard let value = values.first else {
            for record in records {
                guard let flaw = DIDFlaw(inRecord: record) else { continue }
                throw failure(.flawedDID(flaw, found: record))
            }
            throw failure(.notFound)
        }
        do { return try DID(validating: value) } catch { throw failure(.refusal(of: value, error)) }
    }
}

extension IdentityError.Code {
    /// Why a text that was published as a DID is refused.
    static func refusal(of text: String, _ error: InvalidDID) -> IdentityError.Code {
        DIDFlaw(in: text).map { .flawedDID($0, found: text) } ?? .invalidDID(error)
    }
}

/// Why a lookup of TXT records failed, so that it is unknown whether the name has any.
public struct TextRecordError: Error, Sendable, Hashable {
    /// No answer came, or the server failed or refused.
    public static let noAnswer = TextRecordError(.noAnswer)
    /// The answer can't be read, or it does not answer the question.
    public static let malformed = TextRecordError(.malformed)

    /// What failed.
    package enum Code: Sendable, Hashable {
        /// No answer came, or the server failed or refused (`SERVFAIL`, `REFUSED`).
        case noAnswer
        /// The message can't be read, or it does not answer the query.
        case malformed
        /// The HTTPS exchange failed.
        case transport(TransportError)
        /// The HTTPS status is not 200.
        case status(Int)
        /// The HTTPS response is not a DNS message.
        case mediaType
    }

    /// What failed.
    package let code: Code
    /// The URL that was requested, if there was one.
    package let url: String?

    /// - Parameter url: the DNS-over-HTTPS server, or nil for the system's resolver.
    package init(_ code: Code, url: String? = nil) {
        self.code = code
        self.url = url
    }
}

extension TextRecordError: CustomStringConvertible, LocalizedError {
    /// What failed, in plain English.
    public var description: String {
        switch code {
        case .noAnswer: "no DNS server answered, or it refused"
        case .malformed, .mediaType: "the answer of \(url ?? "the DNS server") can't be read"
        case .transport(let error): error.description
        case .status(let status): "\(url ?? "the DNS server") answered \(status)"
        }
    }

    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
