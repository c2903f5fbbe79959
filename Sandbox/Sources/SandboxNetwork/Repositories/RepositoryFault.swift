import Foundation

/// A mistake in the CAR files of one account. The raw values are the names at the control endpoint.
enum RepositoryFault: String, CaseIterable, Sendable {
    /// A key that no document names signs the commit.
    case wrongKey = "wrong_key"
    /// The key before the last rotation signs the commit.
    case earlierKey = "earlier_key"
    /// The commit names another DID.
    case wrongDID = "wrong_did"
    /// The signature has the higher value of s.
    case highS = "high_s"
    /// The signature is in DER form.
    case der
    /// The revision is an hour ahead.
    case futureRevision = "future_revision"
    /// The records of the moment when the fault was set, with a revision of a day before it.
    case olderRevision = "older_revision"
    /// The number in the commit has a byte more than it needs.
    case nonCanonical = "non_canonical"
    /// A node is left out. If the tree has one node only, a record is left out.
    case missingBlock = "missing_block"
    /// A block is added that nothing refers to.
    case extraBlock = "extra_block"
    /// A key stands in the root that belongs to a lower layer. If all belong to the root, one stands below it.
    case wrongDepth = "wrong_depth"
    /// The first two entries of a node are in the wrong order.
    case unsortedKeys = "unsorted_keys"
    /// The record has another value than `com.atproto.repo.getRecord` says.
    case otherRecord = "other_record"

    /// A fault that is set, and what the repository was then.
    struct Setting: Sendable {
        let fault: RepositoryFault
        let date: Date
        let repository: Repository
    }
}
