package import Networking

/// Finds the DID a handle points to (atproto.com/specs/handle#handle-resolution; protocol:R3-R7, R11).
///
/// What it finds is a claim of whoever holds the domain name; ``IdentityResolver`` checks it against the DID's
/// own document.
package struct HandleResolver: Sendable {
    let textRecords: any TextRecordResolver
    let fetcher: IdentityFetcher
    private let service: Origin?

    /// - Parameter service: a server to ask instead of DNS and the handle's own host (protocol:R11). On the
    ///   dev network it is the network itself, whose handles are in no DNS.
    package init(
        transport: any HTTPTransport, textRecords: any TextRecordResolver, policy: NetworkPolicy,
        service: Origin? = nil
    ) {
        self.textRecords = textRecords
        self.fetcher = IdentityFetcher(transport: transport, policy: policy)
        self.service = service ?? policy.devNetwork
    }

    /// The DID of a handle, never from a cache.
    package func did(of handle: Handle) async throws(IdentityError) -> DID {
        guard !handle.isReserved(onDevNetwork: fetcher.policy.devNetwork != nil) else {
            throw IdentityError(.reservedName, step: .name, subject: handle.description)
        }
        if let service { return try await lookUp(handle, at: service) }
        return try await lookUpBothWays(handle).get()
    }

    private typealias Lookup = Result<DID, IdentityError>

    private enum Answer: Sendable {
        case textRecord(Lookup)
        case wellKnown(Lookup)
    }

    /// Asks DNS and the handle's host at once. DNS outranks the host, whose answer therefore waits for it
    /// (protocol:R6).
    private func lookUpBothWays(_ handle: Handle) async -> Lookup {
        await withTaskGroup(of: Answer.self) { group in
            group.addTask {
                do throws(IdentityError) {
                    return .textRecord(.success(try await lookUpTextRecord(of: handle)))
                } catch {
                    return .textRecord(.failure(error))
                }
            }
            group.addTask {
                do throws(IdentityError) {
                    return .wellKnown(.success(try await lookUpWellKnown(of: handle)))
                } catch {
                    return .wellKnown(.failure(error))
                }
            }
            var textRecordError: IdentityError?
            var wellKnown: Lookup?
            for await answer in group {
                switch answer {
                case .wellKnown(let lookup): wellKnown = lookup
                case .textRecord(.success(let did)):
                    group.cancelAll()
                    return .success(did)
                case .textRecord(.failure(let error)):
                    if error.code == .conflictingRecords {
                        group.cancelAll()
                        return .failure(error)
                    }
                    textRecordError = error
                }
            }
            return Self.decide(textRecordError, wellKnown)
        }
    }

    /// What holds once DNS has brought no DID.
    private static func decide(_ textRecordError: IdentityError?, _ wellKnown: Lookup?) -> Lookup {
        guard case .failure(var other) = wellKnown, var first = textRecordError else {
            return wellKnown ?? .failure(IdentityError(.notFound, step: .handleTextRecord, subject: ""))
        }
        guard first.code == .notFound else {
            first.alternatives = [other]
            return .failure(first)
        }
        // A host without an address has no file either, once DNS itself was seen to answer.
        if case .transport(let error) = other.code, error.code == .nameNotResolved {
            other = IdentityError(.notFound, step: other.step, subject: other.subject, url: other.url)
        }
        other.alternatives = [first]
        return .failure(other)
    }
}
