internal import Networking

/// Resolves what people type to an account and its server, and checks that handle and DID name each other
/// (atproto OAuth: identity authentication; protocol:R8-R12).
package struct IdentityResolver: Sendable {
    /// Whether an answer from the cache will do.
    package enum Freshness: Sendable, Hashable {
        /// At most ten minutes old (protocol:R10), or what the shortcut says: good for finding a place to log
        /// in at, and for nothing that a secret depends on.
        case cached
        /// Asked now, as whatever decides about a token must be. The answer still goes into the cache.
        case now
    }

    private let handles: HandleResolver
    private let dids: DIDResolver
    private let cache: any IdentityCache
    private let shortcut: MiniDocumentResolver?

    /// - Parameter shortcut: a service to ask first, where an answer need not be proven.
    package init(
        handles: HandleResolver, dids: DIDResolver, cache: any IdentityCache,
        shortcut: MiniDocumentResolver? = nil
    ) {
        self.handles = handles
        self.dids = dids
        self.cache = cache
        self.shortcut = shortcut
    }

    /// Resolves a handle or a DID.
    ///
    /// A handle that its DID does not claim is an error. A DID whose handle does not lead back, or can't be
    /// looked up, is an identity without a handle.
    package func resolve(
        _ identifier: ATIdentifier, freshness: Freshness
    ) async throws(IdentityError) -> Identity {
        if freshness == .cached, let identity = await shortcut?.identity(of: identifier) { return identity }
        switch identifier {
        case .handle(let handle):
            let did = try await did(of: handle, freshness)
            let document = try await find(did.value, freshness)
            let isFirstHand = did.isFirstHand && document.isFirstHand
            guard document.value.claimedHandle == handle else {
                // A handle that has changed since contradicts what is remembered, and nothing else.
                if !isFirstHand { return try await resolve(identifier, freshness: .now) }
                throw IdentityError(
                    .handleMismatch(claimed: document.value.claimedHandle), step: .bidirectionalCheck,
                    subject: handle.description)
            }
            return Identity(document: document.value, handle: handle, isFirstHand: isFirstHand)
        case .did(let did):
            let document = try await find(did, freshness)
            let handle = try await verifiedHandle(of: document.value, freshness)
            return Identity(
                document: document.value, handle: handle?.value,
                isFirstHand: document.isFirstHand && handle?.isFirstHand != false)
        }
    }

    /// Something that was found, and whether it was asked for now.
    private struct Found<Value> {
        let value: Value
        let isFirstHand: Bool
    }

    /// The claimed handle where it leads back; not knowing is no error (protocol:R9), being cancelled is.
    private func verifiedHandle(
        of document: DIDDocument, _ freshness: Freshness
    ) async throws(IdentityError) -> Found<Handle>? {
        guard let claimed = document.claimedHandle else { return nil }
        do {
            let did = try await did(of: claimed, freshness)
            guard did.value == document.did else { return nil }
            return Found(value: claimed, isFirstHand: did.isFirstHand)
        } catch {
            if Task.isCancelled { throw error }
            return nil
        }
    }

    /// The document of a DID alone: what the check of a token's `sub` needs.
    package func document(
        of did: DID, freshness: Freshness
    ) async throws(IdentityError) -> DIDDocument {
        try await find(did, freshness).value
    }

    /// Forgets what is kept about an account that is no longer here.
    package func forget(_ did: DID, _ handle: Handle?) async {
        await cache.remove(.did(did))
        if let handle { await cache.remove(.handle(handle)) }
    }

    private func find(
        _ did: DID, _ freshness: Freshness
    ) async throws(IdentityError) -> Found<DIDDocument> {
        if freshness == .cached {
            switch await cache.entry(for: .did(did)) {
            case .document(let document)? where document.did == did:
                return Found(value: document, isFirstHand: false)
            case .absent?: throw IdentityError(.notFound, step: .didDocument, subject: did.description)
            default: break
            }
        }
        do {
            let document = try await dids.document(of: did)
            await cache.store(.document(document), for: .did(did), lifetime: Self.lifetime)
            return Found(value: document, isFirstHand: true)
        } catch {
            await remember(absenceIn: error, of: .did(did))
            throw error
        }
    }

    private func did(
        of handle: Handle, _ freshness: Freshness
    ) async throws(IdentityError) -> Found<DID> {
        if freshness == .cached {
            switch await cache.entry(for: .handle(handle)) {
            case .did(let did)?: return Found(value: did, isFirstHand: false)
            case .absent?: throw IdentityError(.notFound, step: .name, subject: handle.description)
            default: break
            }
        }
        do {
            let did = try await handles.did(of: handle)
            await cache.store(.did(did), for: .handle(handle), lifetime: Self.lifetime)
            return Found(value: did, isFirstHand: true)
        } catch {
            await remember(absenceIn: error, of: .handle(handle))
            throw error
        }
    }

    /// Only a definite no is kept: a failure to find out says nothing about the next attempt.
    private func remember(absenceIn error: IdentityError, of identifier: ATIdentifier) async {
        guard error.code == .notFound else { return }
        await cache.store(.absent, for: identifier, lifetime: Self.lifetimeOfAbsence)
    }

    private static let lifetime = Duration.seconds(540)
    private static let lifetimeOfAbsence = Duration.seconds(60)
}
