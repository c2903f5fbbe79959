/// The labelers whose labels an answer should carry, as `atproto-accept-labelers` lists them
/// (atproto.com/specs/label; protocol:X10).
package struct AcceptedLabelers: Sendable, Hashable, CustomStringConvertible {
    private struct Labeler: Hashable {
        let did: DID
        /// Whether what the labeler takes down is left out of the answer altogether.
        let redacts: Bool
    }

    private let labelers: [Labeler]

    /// Reads labelers, each `did` or `did;redact`. None at all asks for no labels, which is not the same as not
    /// asking.
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

    /// The value of the field.
    package var description: String {
        labelers.map { "\($0.did)\($0.redacts ? ";redact" : "")" }.joined(separator: ", ")
    }
}

/// Why a text names no labeler.
package enum InvalidAcceptedLabelers: Error, Sendable, Hashable {
    /// Something other than `redact` follows the DID.
    case syntax(String)
    case did(InvalidDID)
}
