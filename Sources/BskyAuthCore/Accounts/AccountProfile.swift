package import ATProto
package import FoundationEssentials
package import Networking

/// What is known of an account except its secrets. It is sealed apart from the session, so that a rotation never
/// touches it.
///
/// An account is a DID and a label. Logging in to the same ones again keeps the ``id``.
package struct AccountProfile: Sendable, Hashable {
    /// Minted once at login, random, never derived from the DID.
    package let id: UUID
    package let did: DID
    /// The handle when it was last verified; nil where the DID document's claim did not hold.
    package var handle: Handle?
    package var label: String?
    /// Where calls go, as the DID document said at login: the audience of the session.
    package var pds: Origin
    /// Whether the account lives on the dev network and must never meet the real one.
    package var isOnDevNetwork: Bool
    package let addedAt: Date

    package init(
        id: UUID, did: DID, handle: Handle?, label: String?, pds: Origin,
        isOnDevNetwork: Bool, addedAt: Date
    ) {
        self.id = id
        self.did = did
        self.handle = handle
        self.label = label
        self.pds = pds
        self.isOnDevNetwork = isOnDevNetwork
        self.addedAt = addedAt
    }

    /// What the account can be asked for by: handle, DID and label.
    package var names: [String] {
        [handle?.description, did.description, label].compactMap { $0 }
    }

    /// Whether a login to one replaces the session of the other: they have the same DID, label and network.
    func isSameLogin(as other: AccountProfile) -> Bool {
        did == other.did && label == other.label && isOnDevNetwork == other.isOnDevNetwork
    }

    /// What a new login says, under the identity of the account whose session it replaces.
    func with(id: UUID, addedAt: Date) -> AccountProfile {
        AccountProfile(
            id: id, did: did, handle: handle, label: label, pds: pds,
            isOnDevNetwork: isOnDevNetwork, addedAt: addedAt)
    }

    func with(label: String?) -> AccountProfile {
        var copy = self
        copy.label = label
        return copy
    }

    /// Refuses an account of the dev network on the real one, and the other way round.
    func checkNetwork(_ policy: NetworkPolicy) throws {
        guard isOnDevNetwork == (policy.devNetwork != nil) else { throw CoreError.wrongNetwork(self) }
    }

    /// Whether a name is one of ``names``, whatever its case.
    func answers(to name: String) -> Bool {
        names.contains { $0.lowercased() == name.lowercased() }
    }
}
