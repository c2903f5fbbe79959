/// What is wrong with a value of a record, with its key, or with a member beside it.
package enum RecordProblem: Sendable, Hashable {
    /// What a value has to be.
    package enum Need: Sendable, Hashable {
        case boolean, integer, text, list, object
        /// An object with `$type`.
        case typedObject
        case link, bytes, blob
    }

    /// What a length counts.
    package enum Unit: Sendable, Hashable {
        case bytes, characters, elements
    }

    // MARK: Of shape

    case missing
    /// A value of a union, or a write, has no `$type`. The types that the lexicon lists.
    case untyped([String])
    case null
    /// - Parameter isText: whether the value is text.
    case mistyped(Need, isText: Bool)
    /// The value as it is, which the format does not have.
    case malformed(StringFormat, String)
    /// A `$type` that a record, a closed union or a write can't have. Those that it can have.
    case wrongType([String])
    case tooDeep
    /// A record has another key than the only one of its collection.
    case otherKey(only: String)
    /// A record needs a key that the server does not make.
    case missingKey
    /// A new record has a key that is no TID.
    case namedKey

    // MARK: Limits, which a newer lexicon can raise

    case other(than: String)
    case unlisted([String])
    case tooSmall(least: Int64)
    case tooGreat(most: Int64)
    case tooShort(Int, least: Int64, Unit)
    case tooLong(Int, most: Int64, Unit)
    /// A file of too many bytes.
    case tooLarge(Int64, most: Int64)
    /// A file of a media type that the lexicon does not list.
    case mediaType(String, accepted: [String])

    // MARK: What is allowed, and is rarely meant

    /// A record that is there, or may be, has a key that is no TID.
    case oldKey
    /// A collection in another spelling, which servers take for another collection.
    case spelling(String, of: String)

    /// A member that the lexicon does not have. Those that it has and the object has not.
    case unknown(String, others: [String])
    /// A `$type` that an open union does not list. Those that it lists.
    case unlistedType(String, listed: [String])

    /// How sure the problem is.
    package enum Kind: Sendable, Hashable {
        /// Something is missing, or is of another type, format or union.
        case shape
        /// A length, a range or a list of values. Authors of lexicons raise these.
        case limit
        /// A name or a key that is allowed, and that a new record should not have.
        case unusual
        /// A name that is none of the lexicon's. It is a mistake if it is similar to one.
        case unknown
    }

    package var kind: Kind {
        switch self {
        case .missing, .untyped, .null, .mistyped, .malformed, .wrongType, .tooDeep, .otherKey, .missingKey,
            .namedKey:
            .shape
        case .other, .unlisted, .tooSmall, .tooGreat, .tooShort, .tooLong, .tooLarge, .mediaType: .limit
        case .oldKey, .spelling: .unusual
        case .unknown, .unlistedType: .unknown
        }
    }
}
