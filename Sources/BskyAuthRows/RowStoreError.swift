public import FoundationEssentials

/// Why a store could not do something.
public struct RowStoreError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Whether a write happened that its method could not confirm. The enumeration is closed.
    public enum Outcome: Sendable, Hashable {
        /// The write did not happen and will not happen. Reads that fail have this outcome too.
        case notDone
        /// The write may have happened, or may still happen. A caller that meant to spend something treats it as spent, or
        /// reads the row to find out.
        case unknown
    }

    /// Whether the write may have happened.
    public let outcome: Outcome
    /// What failed.
    public let code: Code
    /// What failed, in plain English and in the words of the store. It has no secret.
    public let description: String

    /// An error of a store.
    ///
    /// - Parameters:
    ///   - description: a text without secrets and without the bytes of rows.
    ///   - outcome: whether the write may have happened.
    ///   - code: what failed.
    public init(_ description: String, outcome: Outcome, code: Code = .failed) {
        self.outcome = outcome
        self.code = code
        self.description = description
    }

    /// The error of ``RowStore/change(of:after:)`` in a cancelled task.
    public static let waitCancelled = RowStoreError(
        "the wait for a change was cancelled", outcome: .notDone, code: .cancelled)
}

extension RowStoreError {
    /// What failed. More codes may come, so a `switch` over them needs a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private enum Kind: Sendable, Hashable {
            case failed, unreadable, unreachable, untrusted, timedOut, noLeader, noSpace, readOnly, cancelled
            case permissionDenied, credentialsNeeded, credentialsRefused, authenticationOff
            case notDurable, notPrepared, unclearPlace
        }

        private let kind: Kind

        private init(_ kind: Kind) {
            self.kind = kind
        }

        /// The name of the code, such as `timedOut`, for logs.
        public var description: String { "\(kind)" }

        /// Anything that has no code of its own.
        public static let failed = Code(.failed)
        /// A row or an answer is not in the form that this program knows.
        public static let unreadable = Code(.unreadable)
        /// There is no connection to the store, or it ended.
        public static let unreachable = Code(.unreachable)
        /// The server has no trusted certificate for its name, or it refused the certificate of this machine.
        public static let untrusted = Code(.untrusted)
        /// The store did not answer in time.
        public static let timedOut = Code(.timedOut)
        /// The machines of the store can't agree, because too few of them reach each other.
        public static let noLeader = Code(.noLeader)
        /// The store has no space left for writes.
        public static let noSpace = Code(.noSpace)
        /// The store takes no writes, or it is a copy that may lag behind.
        public static let readOnly = Code(.readOnly)
        /// The calling task was cancelled.
        public static let cancelled = Code(.cancelled)
        /// The user of this program may not do this in the store.
        public static let permissionDenied = Code(.permissionDenied)
        /// The store wants a user name and a password, and has got none.
        public static let credentialsNeeded = Code(.credentialsNeeded)
        /// The store does not accept the user name and the password.
        public static let credentialsRefused = Code(.credentialsRefused)
        /// A user name and a password are given, but the store does not ask for them, so everybody may read and write.
        public static let authenticationOff = Code(.authenticationOff)
        /// The store is set up so that a crash loses writes that it has confirmed.
        public static let notDurable = Code(.notDurable)
        /// The store has no place for rows yet, for example no table.
        public static let notPrepared = Code(.notPrepared)
        /// The URL and the settings of this program don't lead to one place for the rows, for example because two tables could
        /// have them.
        public static let unclearPlace = Code(.unclearPlace)
    }
}

extension RowStoreError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
