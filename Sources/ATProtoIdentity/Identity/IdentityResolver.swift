package import ATPNetworking

/// Resolves a handle or DID to an account and its PDS, and checks that handle and DID name each other (atproto
/// OAuth: identity authentication; protocol:R8-R12).
package struct IdentityResolver: Sendable {
    /// Whether a cached answer is acceptable.
    package enum Freshness: Sendable, Hashable {
        /// An answer at most ten minutes old (protocol:R10) or one of the shortcut. Use it only to find the server
        /// to log in at, never for a decision about secrets. ``resolve(_:freshness:)`` takes only the DID of a handle from the cache: it
        /// fetches the document, because the account may have moved, and asks again for a handle that did not exist.
        case cached
        /// A new answer, as every decision about a token needs. The answer is still cached.
        case now
    }

    private let source: any IdentitySource
    package let cache: any IdentityCache
    private let shortcut: MiniDocumentResolver?

    /// - Parameter shortcut: a service to ask first when a cached answer is acceptable.
    package init(
        handles: HandleResolver, dids: DIDResolver, cache: any IdentityCache,
        shortcut: MiniDocumentResolver? = nil
    ) {
        source = NetworkIdentities(handles: handles, dids: dids)
        self.cache = cache
        self.shortcut = shortcut
    }

    /// A resolver of accounts. If the source has ``IdentitySource/dids``, also of services and of earlier keys.
    package init(_ source: any IdentitySource, cache: any IdentityCache) {
        self.source = source
        self.cache = cache
        shortcut = nil
    }

    /// Resolves a handle or a DID.
    ///
    /// A handle that its DID does not claim is an error. A DID whose handle does not resolve to it is an identity
    /// without a handle. If the handle can't be looked up, the identity says so (protocol:R9).
    package func resolve(
        _ identifier: ATIdentifier, freshness: Freshness
    ) async throws(IdentityError) -> Identity {
        if freshness == .cached, let identity = await shortcut?.identity(of: identifier) { return identity }
        switch identifier {
        case .handle(let handle):
            let did = try await did(of: handle, freshness, believesAbsence: false)
            let document = try await find(did.value, .now)
            let isFirstHand = did.isFirstHand
            guard document.value.claimedHandle == handle else {
                // The mismatch may come from an old cache entry, so resolve again without the cache.
                if !isFirstHand { return try await resolve(identifier, freshness: .now) }
                throw IdentityError(
                    .handleMismatch(claimed: document.value.claimedHandle), step: .bidirectionalCheck,
                    subject: handle.description)
            }
            return Identity(document: document.value, handle: handle, isFirstHand: isFirstHand)
        case .did(let did):
            let document = try await find(did, .now)
            do {
                let handle = try await verifiedHandle(of: document.value, freshness)
                return Identity(
                    document: document.value, handle: handle?.value,
                    isFirstHand: handle?.isFirstHand != false)
            } catch {
                if Task.isCancelled { throw error }
                return Identity(
                    document: document.value, handle: nil, handleFailure: error,
                    isFirstHand: document.isFirstHand)
            }
        }
    }

    /// A result, and whether it was fetched now.
    private struct Found<Value> {
        let value: Value
        let isFirstHand: Bool
    }

    /// The claimed handle if it resolves to the DID.
    ///
    /// - Returns: nil if the document claims no handle, or one that does not lead back to the DID.
    /// - Throws: ``IdentityError`` if the handle could not be looked up, so that it is not known.
    private func verifiedHandle(
        of document: DIDDocument, _ freshness: Freshness
    ) async throws(IdentityError) -> Found<Handle>? {
        guard let claimed = document.claimedHandle else { return nil }
        do {
            let did = try await did(of: claimed, freshness)
            guard did.value == document.did else { return nil }
            return Found(value: claimed, isFirstHand: did.isFirstHand)
        } catch {
            if error.kind == .unavailable { throw error }
            return nil
        }
    }

    /// The document of a DID, without a check of the handle. The check of a token's `sub` needs no more.
    package func document(
        of did: DID, freshness: Freshness
    ) async throws(IdentityError) -> DIDDocument {
        try await find(did, freshness).value
    }

    /// The server of a service, by the present document of its DID.
    package func endpoint(of service: ServiceReference) async throws(IdentityError) -> Origin {
        guard let dids = source.dids else {
            throw IdentityError(.unreachableHost, step: .didDocument, subject: service.description)
        }
        return try await dids.endpoint(of: service)
    }

    /// The keys that a did:plc had; nil for another DID, and if the source does not ask for them.
    package func auditLog(of did: DID) async throws(IdentityError) -> PLCAuditLog? {
        try await source.dids?.auditLog(of: did)
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
            let document = try await source.document(of: did)
            await cache.store(.document(document), for: .did(did), lifetime: Self.lifetime)
            return Found(value: document, isFirstHand: true)
        } catch {
            await remember(absenceIn: error, of: .did(did))
            throw error
        }
    }

    /// - Parameter believesAbsence: whether a cached absence is an answer. The person who names a handle may just have made it.
    private func did(
        of handle: Handle, _ freshness: Freshness, believesAbsence: Bool = true
    ) async throws(IdentityError) -> Found<DID> {
        if freshness == .cached {
            switch await cache.entry(for: .handle(handle)) {
            case .did(let did)?: return Found(value: did, isFirstHand: false)
            case .absent? where believesAbsence:
                throw IdentityError(.notFound, step: .name, subject: handle.description)
            default: break
            }
        }
        do {
            let did = try await source.did(of: handle)
            await cache.store(.did(did), for: .handle(handle), lifetime: Self.lifetime)
            return Found(value: did, isFirstHand: true)
        } catch {
            await remember(absenceIn: error, of: .handle(handle))
            throw error
        }
    }

    /// Caches only a definite absence. After any other failure the next lookup may succeed.
    private func remember(absenceIn error: IdentityError, of identifier: ATIdentifier) async {
        guard error.code == .notFound else { return }
        await cache.store(.absent, for: identifier, lifetime: Self.lifetimeOfAbsence)
    }

    private static let lifetime = Duration.seconds(540)
    private static let lifetimeOfAbsence = Duration.seconds(60)
}
