/// A handle or a DID (lexicon string format `at-identifier`).
package enum ATIdentifier: Sendable, Hashable, CustomStringConvertible {
    case handle(Handle)
    case did(DID)

    /// Reads a DID if the text starts with `did:`, else a handle.
    package init(validating text: some StringProtocol) throws(InvalidATIdentifier) {
        if text.hasPrefix("did:") {
            do { self = .did(try DID(validating: text)) } catch { throw .did(error) }
        } else {
            do { self = .handle(try Handle(validating: text)) } catch { throw .handle(error) }
        }
    }

    /// The identifier without `@` or `at://`.
    package var description: String {
        switch self {
        case .handle(let handle): handle.description
        case .did(let did): did.description
        }
    }
}

/// Why a text is neither a handle nor a DID.
package enum InvalidATIdentifier: Error, Sendable, Hashable {
    case handle(InvalidHandle)
    case did(InvalidDID)
}
