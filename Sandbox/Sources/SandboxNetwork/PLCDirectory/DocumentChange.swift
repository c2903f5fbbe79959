import Foundation

/// A change of a DID document.
struct DocumentChange: Sendable {
    let date: Date
    /// The key that the document names from then on; `nil` when the DID is given up.
    let multikey: String?
    /// The URL of the PDS that the document names from then on; `nil` for that of this sandbox.
    var server: String?
}
