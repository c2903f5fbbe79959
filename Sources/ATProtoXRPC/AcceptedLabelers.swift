package import ATProtoIdentity

/// The value of `atproto-accept-labelers`: the labelers whose labels a response should contain
/// (atproto.com/specs/label; protocol:X10).
package struct AcceptedLabelers: Sendable, Hashable, CustomStringConvertible {
    private struct Labeler: Hashable {
        let did: DID
        /// Whether the response leaves out everything that the labeler takes down.
        let redacts: Bool
    }

    private let labelers: [Labeler]

    /// Reads labelers, each `did` or `did;redact`. An empty list asks for no labels. Without the field, the server
    /// chooses.
    package init(validating texts: [String]) throws(InvalidAcceptedLabelers) {
        var labelers: [Labeler] = []
        for text in texts {
            let parts = text.split(separator: ";", omittingEmptySubsequences: false)
            guard parts.count == 1 || (parts.count == 2 && parts[1] == "redact") else { throw .syntax(text) }
            do {
                labelers.append(Labeler(did: try DID(validating: parts[0]), redacts: parts.count == 2))
            } catch {
                throw .did(error)
            }
        }
        self.labelers = labelers
    }

    /// The value of the header field.
    package var description: String {
        labelers.map { "\($0.did)\($0.redacts ? ";redact" : "")" }.joined(separator: ", ")
    }
}

/// Why a text is not a labeler.
package enum InvalidAcceptedLabelers: Error, Sendable, Hashable {
    /// The DID is followed by something other than `redact`.
    case syntax(String)
    case did(InvalidDID)
}
