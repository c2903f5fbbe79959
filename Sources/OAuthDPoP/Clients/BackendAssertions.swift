#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// The assertions of a client whose key only a backend has.
package struct BackendAssertions: ClientAssertionSource {
    package let keyID: String
    private let requester: AssertionRequester

    /// - Parameter keyID: the key that the backend has signed with at the login.
    package init(_ requester: AssertionRequester, keyID: String) {
        self.requester = requester
        self.keyID = keyID
    }

    /// Asks for an assertion. The backend dates it.
    package func assertion(clientID: String, issuer: String, issuedAt: Date) async throws -> String {
        try await requester.assertion(for: issuer, known: (ClientID(clientID), keyID))
    }
}
