package import ATPNetworking
package import ATProtoIdentity
package import ATProtoRecordProof
package import ATProtoXRPC
internal import HTTPTypes

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// Verifies records and repositories of any account with the key that its DID names (atproto.com/specs/sync).
///
/// Nothing is sent but the names of what is asked for: no credentials, and nothing of an account here.
package struct RecordVerifier: Sendable {
    private let network: NetworkEnvironment
    private let allowsPastKeys: Bool

    /// - Parameter allowsPastKeys: whether a key that the DID had earlier may have signed. The directory of did:plc is believed about it.
    package init(_ network: NetworkEnvironment, allowsPastKeys: Bool = false) {
        self.network = network
        self.allowsPastKeys = allowsPastKeys
    }

    /// The document of an account, asked for anew. A handle must be the one that the document claims.
    package func document(of account: ATIdentifier) async throws(IdentityError) -> DIDDocument {
        switch account {
        case .did(let did): try await network.identities.document(of: did, freshness: .now)
        case .handle: try await network.identities.resolve(account, freshness: .now).document
        }
    }

    /// Asks a server for the proof of a record, and verifies it.
    ///
    /// - Parameters:
    ///   - collection: the collection of the record, byte for byte.
    ///   - key: the key of the record.
    ///   - document: the present document of the account.
    ///   - server: the server to ask.
    /// - Throws: ``RecordVerificationError``, `IdentityError`, `TransportError`.
    package func record(
        _ collection: String, _ key: String, of document: DIDDocument, at server: Origin
    ) async throws -> (proof: RecordProof, signer: CommitSigner) {
        let call = XRPCRequest(
            .query, try NSID(validating: "com.atproto.sync.getRecord"),
            parameters: [
                "did": document.did.description, "collection": collection, "rkey": key,
            ], headerFields: [.accept: Self.mediaType])
        let car = try await answer(to: call, from: server).body.collect(upTo: Self.longestProof)
        guard !car.isEmpty else { throw RecordVerificationError.empty(server) }
        return try await Self.proving {
            let signer = try await signer(of: try SignedCommit(car: CARBytes(car)), document)
            let proof = try RecordProof(
                car: car, of: document.did.description, path: "\(collection)/\(key)", signedBy: signer.key,
                now: network.wallClock.now)
            return (proof, signer)
        }
    }

    /// Verifies the file of a whole repository.
    ///
    /// - Parameters:
    ///   - open: opens the file, more than once.
    ///   - account: whose repository it must be; nil for the account that the commit names.
    ///   - list: receives every record, after everything was verified; nil lists none.
    ///   - progress: is told how many blocks were read, after each 1,000.
    /// - Throws: ``RecordVerificationError``, `IdentityError`, or the error of the file or of `list`.
    package func repository<Source: CARSource>(
        _ open: () throws -> Source, of account: DIDDocument? = nil,
        list: ((ListedRecord) throws -> Void)? = nil, progress: (_ blocks: Int) -> Void
    ) async throws -> (proof: RepositoryProof, signer: CommitSigner) {
        try await Self.proving {
            let commit = try SignedCommit(car: try open())
            let document: DIDDocument
            if let account {
                document = account
            } else {
                guard let did = DID(commit.did) else { throw RecordProofError.commit("its did is no DID") }
                document = try await self.document(of: .did(did))
            }
            let signer = try await signer(of: commit, document)
            let proof = try RepositoryProof(
                car: try open(), of: document.did.description, signedBy: signer.key,
                now: network.wallClock.now, progress: progress, list: list)
            return (proof, signer)
        }
    }

    /// Asks a server for a whole repository, whose body streams.
    package func repository(of did: DID, at server: Origin) async throws -> TransportResponse {
        let call = XRPCRequest(
            .query, try NSID(validating: "com.atproto.sync.getRepo"), parameters: ["did": did.description],
            headerFields: [.accept: Self.mediaType])
        return try await answer(to: call, from: server)
    }

    /// A server's answer to a query, if it is a success.
    ///
    /// - Throws: ``RecordVerificationError/refused(_:by:_:)``, ``RecordVerificationError/webPage(_:_:)``, or `TransportError`.
    package func answer(to call: XRPCRequest, from server: Origin) async throws -> TransportResponse {
        let response = try await network.transport.send(call.transportRequest(to: server))
        if (200..<300).contains(response.status) {
            guard response.headerFields.mediaType == "text/html" else { return response }
            // Neither JSON nor a CAR file begins like a page.
            let body = try await response.body.collect(upTo: Self.longestProof)
            let isSpace = { (byte: UInt8) in byte == 0x20 || (0x09...0x0d).contains(byte) }
            guard body.first(where: { !isSpace($0) }) != UInt8(ascii: "<") else {
                throw RecordVerificationError.webPage(server, call.nsid)
            }
            return response.with(body: body)
        }
        // If the body does not arrive, the status says enough.
        let body = (try? await response.body.beginning(upTo: XRPCError.longestBody)) ?? []
        throw RecordVerificationError.refused(
            XRPCError(status: response.status, headerFields: response.headerFields, body: body), by: server,
            call.nsid)
    }

    // MARK: Keys

    /// The key that signed a commit: the present key of the document, or an earlier one if that is allowed.
    private func signer(of commit: SignedCommit, _ document: DIDDocument) async throws -> CommitSigner {
        guard commit.did.utf8.elementsEqual(document.did.description.utf8) else {
            throw RecordProofError.otherRepository(commit.did)
        }
        guard let method = document.signingKey,
            let key = RepositoryKey(type: method.type, publicKeyMultibase: method.publicKeyMultibase)
        else { throw RecordVerificationError.noKey(document.did) }
        if commit.isSigned(by: key) {
            return CommitSigner(key: key, publicKeyMultibase: method.publicKeyMultibase, past: nil)
        }
        guard let past = try await pastKeys(of: document.did).last(where: { commit.isSigned(by: $0.key) })
        else { throw RecordProofError.signature }
        guard allowsPastKeys else { throw RecordVerificationError.pastKey(document.did, past) }
        guard past.had(at: commit) else { throw RecordVerificationError.outlivedKey(document.did, past) }
        return past
    }

    /// The earlier keys of a DID. If they were not asked for, a directory that can't be reached is no failure of its own: the
    /// present key did not sign.
    private func pastKeys(of did: DID) async throws -> [CommitSigner] {
        let log: PLCAuditLog?
        do { log = try await network.identities.auditLog(of: did) } catch {
            guard !allowsPastKeys, !Task.isCancelled else { throw error }
            network.note("the earlier keys of \(did) are not known", error)
            return []
        }
        return (log?.signingKeys ?? []).compactMap { past in
            RepositoryKey(multikey: past.multikey).map {
                CommitSigner(key: $0, publicKeyMultibase: past.multikey, past: past)
            }
        }
    }

    /// Does work whose failed steps are told as such.
    private static func proving<Result>(_ work: () async throws -> Result) async throws -> Result {
        do { return try await work() } catch let error as RecordProofError {
            throw RecordVerificationError.notProven(error)
        }
    }

    private static let mediaType = "application/vnd.ipld.car"
    /// The longest proof of one record, in bytes.
    private static let longestProof = 4 << 20
}

/// The key that signed a commit.
package struct CommitSigner: Sendable, Hashable {
    package let key: RepositoryKey
    /// The key as it is written in the DID document or in the directory.
    package let publicKeyMultibase: String
    /// When the DID had the key; nil for its present key.
    package let past: PLCAuditLog.SigningKey?

    package init(key: RepositoryKey, publicKeyMultibase: String, past: PLCAuditLog.SigningKey?) {
        self.key = key
        self.publicKeyMultibase = publicKeyMultibase
        self.past = past
    }

    /// Whether the DID still had the key at the time that the commit names, with five minutes more for a server that signs late.
    /// Whoever has an earlier key can write an earlier time.
    fileprivate func had(at commit: SignedCommit) -> Bool {
        guard let until = past?.until else { return true }
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let end = (try? style.parse(until)) ?? (try? Date.ISO8601FormatStyle().parse(until)) else {
            return false
        }
        return Double(commit.microseconds) / 1_000_000 <= end.timeIntervalSince1970 + 300
    }
}

/// Why a record or a repository is not proven.
package enum RecordVerificationError: KnownError, Sendable {
    /// The server answered with bytes that do not prove the record or the repository.
    case notProven(RecordProofError)
    /// An earlier key of the DID signed, which was not allowed.
    case pastKey(DID, CommitSigner)
    /// An earlier key of the DID signed a commit that says it was made after the DID had got the next key.
    case outlivedKey(DID, CommitSigner)
    /// An answer says something else than what is proven of a repository. The server is nil if the caller of a method knows it.
    case differs(RecordDifference, by: Origin?, String)
    /// The record is proven to be absent, and only a record is an answer.
    case absent(uri: String, revision: String)
    /// The record is proven, but it is not valid data, which has no JSON.
    case invalidRecord(uri: String)
    /// A server answered with nothing at all.
    case empty(Origin)
    /// A server answered with a web page, as something in front of it may.
    case webPage(Origin, NSID)
    /// The document names no key that commits are signed with.
    case noKey(DID)
    /// A server refused to answer, or failed.
    case refused(XRPCError, by: Origin, NSID)
}

/// What an answer makes of a record.
package enum RecordDifference: Sendable, Hashable {
    /// It has a record that the repository does not have.
    case invented
    /// It has no record where the repository has one.
    case withheld
    /// It has another content.
    case altered
}
