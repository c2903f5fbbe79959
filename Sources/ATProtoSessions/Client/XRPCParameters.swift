internal import ATPNetworking

/// The parameters of a query string, in order. A list is sent as one parameter for each of its elements
/// (atproto.com/specs/xrpc).
public struct XRPCParameters: Sendable, ExpressibleByDictionaryLiteral {
    private(set) var form = FormParameters()

    /// Parameters as a literal: `["actor": "alice.example.com", "limit": 50]`.
    public init(dictionaryLiteral elements: (String, Value)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// Adds a parameter. Nil adds nothing.
    public mutating func append(_ name: String, _ value: Value?) {
        for text in value?.texts ?? [] { form.append(name, text) }
    }

    /// The value of a parameter.
    public struct Value: Sendable, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
        ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral
    {
        let texts: [String]

        /// A text, also a DID, an AT-URI or a time.
        public init(_ text: String) { texts = [text] }
        /// A whole number.
        public init(_ number: Int) { texts = [String(number)] }
        /// True or false.
        public init(_ bool: Bool) { texts = [String(bool)] }
        /// A list.
        public init(_ values: [Value]) { texts = values.flatMap(\.texts) }

        /// A text.
        public init(stringLiteral value: String) { self.init(value) }
        /// A whole number.
        public init(integerLiteral value: Int) { self.init(value) }
        /// True or false.
        public init(booleanLiteral value: Bool) { self.init(value) }
        /// A list.
        public init(arrayLiteral elements: Value...) { self.init(elements) }
    }
}
