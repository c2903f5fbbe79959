import Foundation
import NIOCore

/// Repositories and blobs of all accounts, in memory.
actor RepositoryStore {
    struct Blob: Sendable {
        let cid: String
        let mediaType: String
        let size: Int
        let content: [ByteBuffer]
    }

    private let clock: SandboxClock
    private let accounts: AccountRegistry
    /// By DID. An account that did not write yet gets its empty repository when it is asked for.
    private var repositories: [String: Repository] = [:]
    private var faults: [String: RepositoryFault.Setting] = [:]
    /// CAR files that were made elsewhere, by DID.
    private var foreignFiles: [String: [UInt8]] = [:]
    private var blobs: [String: [String: Blob]] = [:]
    private var lastStamp: Int64 = 0
    /// When accounts last saw their notifications, by DID.
    private var seenAt: [String: Date] = [:]

    init(clock: SandboxClock, accounts: AccountRegistry) {
        self.clock = clock
        self.accounts = accounts
    }

    /// A timestamp identifier that is higher than all before.
    func nextKey() -> String {
        lastStamp = max(lastStamp + 1, TimestampIdentifier.microseconds(of: clock.now))
        return TimestampIdentifier.text(microseconds: lastStamp)
    }

    // MARK: Writes

    /// Carries out all writes in one commit, or none.
    ///
    /// - Parameter swapping: `swapCommit`, the CID that the present commit has to have.
    func commit(
        _ writes: [RecordWrite], of account: Account, swapping: String? = nil
    ) throws(XRPCFailure) -> SignedCommit {
        let present = repository(of: account).commit.block.cid.text
        if let swapping, swapping != present {
            throw XRPCFailure(400, "InvalidSwap", "Commit was at \(present)", .other)
        }
        return try change(account) { (repository) throws(XRPCFailure) in
            for write in writes {
                try repository.carryOut(write) { content in
                    Repository.Record(
                        did: account.did, collection: content.collection, key: content.key,
                        value: content.value, block: content.block, indexed: clock.now, revision: nextKey())
                }
            }
        }
    }

    /// Commits the same records again, with the key that the account has now.
    func resign(_ account: Account) {
        _ = change(account) { _ in }
    }

    /// Sets the fault of an account's answers, or removes it.
    func set(_ fault: RepositoryFault?, of account: Account) {
        faults[account.did] = fault.map {
            RepositoryFault.Setting(fault: $0, date: clock.now, repository: repository(of: account))
        }
    }

    /// Sets the CAR file that stands for the repository, or removes it.
    func setForeignFile(_ car: [UInt8]?, of account: Account) {
        foreignFiles[account.did] = car
    }

    // MARK: Reads

    func commit(of account: Account) -> SignedCommit { repository(of: account).commit }

    /// The CAR file that proves a record or its absence, or that of the whole repository.
    func car(of account: Account, path: String? = nil) throws(XRPCFailure) -> [UInt8] {
        if let car = foreignFiles[account.did] { return car }
        let archive = RepositoryArchive(
            repository: repository(of: account), account: accounts.current(account),
            setting: faults[account.did], now: clock.now)
        return try archive.car(of: path)
    }

    func record(did: String, collection: String, key: String) -> Repository.Record? {
        repositories[did]?.records[collection]?[key]
    }

    func collections(of did: String) -> [String] {
        (repositories[did]?.records ?? [:]).keys.sorted()
    }

    /// A page of one collection, newest key first unless reversed, and the cursor of the next page.
    func page(did: String, collection: String, limit: Int, cursor: String?, reverse: Bool) -> (
        records: [Repository.Record], cursor: String?
    ) {
        let all = (repositories[did]?.records[collection] ?? [:]).values.sorted {
            ($0.key < $1.key) == reverse
        }
        return Self.page(of: all, limit: limit, cursor: cursor, key: \.key, ascending: reverse)
    }

    /// A page of every account's posts, newest first.
    func timeline(limit: Int, cursor: String?) -> (records: [Repository.Record], cursor: String?) {
        let posts = repositories.values.flatMap { ($0.records["app.bsky.feed.post"] ?? [:]).values }
        let sorted = posts.sorted { ($0.key, $0.did) > ($1.key, $1.did) }
        return Self.page(of: sorted, limit: limit, cursor: cursor, key: \.key, ascending: false)
    }

    func countOfPosts(by did: String) -> Int {
        repositories[did]?.records["app.bsky.feed.post"]?.count ?? 0
    }

    // MARK: Blobs

    func keep(_ blob: Blob, of did: String) {
        blobs[did, default: [:]][blob.cid] = blob
    }

    func blob(_ cid: String, of did: String) -> Blob? {
        blobs[did]?[cid]
    }

    /// The blobs that the records of an account refer to, in the order of their identifiers.
    ///
    /// - Parameter revision: only those of records that are newer than this revision.
    func linkedBlobs(of did: String, since revision: String?) -> [String] {
        let records = (repositories[did]?.records ?? [:]).values.flatMap(\.values)
        return Set(records.filter { $0.revision > revision ?? "" }.flatMap { Self.blobs(in: $0.value) })
            .sorted()
    }

    private static func blobs(in value: JSONValue) -> [String] {
        if value["$type"] == "blob", let cid = value["ref"]?["$link"]?.string { return [cid] }
        return (value.array ?? value.members?.map(\.value) ?? []).flatMap(blobs)
    }

    // MARK: Notifications

    /// The records of everybody else.
    func records(notBy did: String) -> [Repository.Record] {
        repositories.filter { $0.key != did }.values.flatMap { $0.records.values.flatMap(\.values) }
    }

    func seen(by did: String) -> Date? { seenAt[did] }

    func setSeen(_ date: Date, by did: String) { seenAt[did] = date }

    // MARK: Helpers

    private func repository(of account: Account) -> Repository {
        if let repository = repositories[account.did] { return repository }
        let repository = Repository(
            did: account.did, revision: nextKey(), key: accounts.current(account).signingKey)
        repositories[account.did] = repository
        return repository
    }

    private func change<Failure>(
        _ account: Account, _ change: (inout Repository) throws(Failure) -> Void
    ) throws(Failure) -> SignedCommit {
        var repository = repository(of: account)
        try change(&repository)
        repository.sign(revision: nextKey(), key: accounts.current(account).signingKey)
        repositories[account.did] = repository
        return repository.commit
    }

    private static func page(
        of sorted: [Repository.Record],
        limit: Int,
        cursor: String?,
        key: (Repository.Record) -> String,
        ascending: Bool
    ) -> (records: [Repository.Record], cursor: String?) {
        let rest = sorted.filter { record in
            guard let cursor else { return true }
            return ascending ? key(record) > cursor : key(record) < cursor
        }
        let page = Array(rest.prefix(limit))
        return (page, rest.count > limit ? page.last.map(key) : nil)
    }
}
