package import ATPJSON
internal import ATPNetworking
package import ATProtoIdentity
package import ATProtoLexicons
package import ATProtoRecordProof
internal import ATProtoXRPC

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Finds a lexicon by its name, with proof that its publisher's repository has it (atproto.com/specs/lexicon#lexicon-publication-and-resolution).
///
/// DNS names the publisher of a domain's lexicons as a DID: the TXT record of `_lexicon.repo.example.com` for `com.example.repo.*`. There
/// is no other way, and no domain stands for another one. The owner of the domain, and the name servers on the way, learn which
/// authority is looked for.
package struct LexiconResolver: Sendable {
    /// The collection of lexicons.
    package static let collection = "com.atproto.lexicon.schema"

    private let network: NetworkEnvironment
    private let textRecords: any TextRecordResolver

    package init(_ network: NetworkEnvironment, textRecords: any TextRecordResolver) {
        self.network = network
        self.textRecords = textRecords
    }

    /// The lexicon of a name, never from a cache.
    ///
    /// - Throws: ``LexiconFailure``, or `CancellationError`.
    package func lexicon(_ nsid: NSID) async throws -> (
        lexicon: ProvenLexicon, signer: CommitSigner, commit: SignedCommit
    ) {
        let publisher: DIDDocument
        do { publisher = try await self.publisher(of: nsid) } catch {
            let isUnnamed = error.step == .lexiconTextRecord && error.code == .notFound
            throw LexiconFailure(nsid, isUnnamed ? .noPublisher : .publisher(error))
        }
        func failure(_ reason: LexiconFailure.Reason) -> LexiconFailure {
            LexiconFailure(nsid, publisher: publisher.did, reason)
        }
        let (proof, signer): (RecordProof, CommitSigner)
        do {
            (proof, signer) = try await RecordVerifier(network).record(
                Self.collection, nsid.description, of: publisher, at: publisher.pds)
        } catch {
            try Task.checkCancellation()
            throw failure(.unproven(error))
        }
        guard let cid = proof.cid, let bytes = proof.bytes else { throw failure(.absent) }
        guard bytes.count <= Self.longest else { throw failure(.tooLong) }
        guard let json = proof.record?.json.object else { throw failure(.invalid("the record")) }
        guard json["$type"]?.string == Self.collection else { throw failure(.invalid("$type")) }
        do {
            let lexicon = try ProvenLexicon(
                json, of: nsid, publisher: publisher.did, cid: cid.description,
                revision: proof.commit.revision,
                provenAt: network.wallClock.now)
            return (lexicon, signer, proof.commit)
        } catch { throw failure(.invalid(error.place)) }
    }

    /// The present document of the DID that the domain of a name publishes its lexicons with.
    private func publisher(of nsid: NSID) async throws(IdentityError) -> DIDDocument {
        let domain = nsid.authorityDomain
        guard let name = try? ATProtoIdentity.Handle(validating: domain),
            !name.isReserved(onDevNetwork: network.policy.devNetwork != nil)
        else { throw IdentityError(.reservedName, step: .lexiconTextRecord, subject: domain) }
        let did = try await textRecords.did(
            at: "_lexicon.\(domain)", step: .lexiconTextRecord, subject: domain)
        return try await network.identities.document(of: did, freshness: .now)
    }

    /// The greatest size of a lexicon, in bytes of its record.
    private static let longest = 1 << 20
}

/// A lexicon that was proven to be in its publisher's repository.
package struct ProvenLexicon: Sendable, Hashable {
    package let document: LexiconDocument
    /// The lexicon as it was published.
    package let json: JSONObject
    /// Who publishes the lexicons of the name's domain.
    package let publisher: DID
    /// The identifier of the record.
    package let cid: String
    /// The revision of the repository at which it had the record.
    package let revision: String
    /// When it was proven.
    package let provenAt: Date

    package var nsid: NSID { document.nsid }

    /// - Throws: `InvalidLexicon` for what is no lexicon of this name.
    package init(
        _ json: JSONObject, of nsid: NSID, publisher: DID, cid: String, revision: String, provenAt: Date
    ) throws(InvalidLexicon) {
        document = try LexiconDocument(validating: json, named: nsid)
        self.json = json
        self.publisher = publisher
        self.cid = cid
        self.revision = revision
        self.provenAt = provenAt
    }
}

/// Why the lexicon of a name is not known.
package struct LexiconFailure: KnownError, Sendable {
    package enum Reason: Sendable {
        /// DNS names no publisher of the lexicons of the domain.
        case noPublisher
        /// Who publishes them could not be found out.
        case publisher(IdentityError)
        /// The publisher's repository is proven not to have the lexicon.
        case absent
        /// The publisher's server did not prove what it has: a ``RecordVerificationError`` or a `TransportError`.
        case unproven(any Error)
        /// The record is longer than a mebibyte.
        case tooLong
        /// The record is no lexicon of this name. The text is the place of the fault.
        case invalid(String)
        /// An earlier proof was of this later revision of the repository.
        case older(than: String)
        /// The proofs of the repository contradict each other.
        case contradiction
        /// It was not there in time.
        case late
    }

    package let nsid: NSID
    /// The publisher; nil if that is not known.
    package let publisher: DID?
    package let reason: Reason

    package init(_ nsid: NSID, publisher: DID? = nil, _ reason: Reason) {
        self.nsid = nsid
        self.publisher = publisher
        self.reason = reason
    }
}
