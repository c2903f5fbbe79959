/// A path to values in a JSON document, such as `.posts[].author.handle`.
///
/// Its steps are `.name`, `."na.me"`, `[0]` for one element and `[]` for every element. As in jq, a dot may stand before
/// a bracket.
package struct JSONPath: Sendable, Hashable, CustomStringConvertible {
    private enum Step: Hashable {
        case member(String)
        case element(Int)
        case everyElement

        /// The values one step further; none if the value has no such member or element.
        func values(in value: JSONValue) throws(RepeatedName) -> [JSONValue] {
            switch (self, value) {
            case (.member(let name), .object(let object)):
                guard !object.repeats(name) else { throw RepeatedName(name: name) }
                return object[name].map { [$0] } ?? []
            case (.element(let index), .array(let elements)):
                return elements.indices.contains(index) ? [elements[index]] : []
            case (.everyElement, .array(let elements)): return elements
            default: return []
            }
        }
    }

    private let steps: [Step]
    /// The steps as they were written.
    private let texts: [String]

    /// The path as it was written.
    package var description: String { texts.joined() }

    /// Reads a path of at least one step.
    package init(parsing text: String) throws(InvalidJSONPath) {
        var rest = text[...]
        var steps: [Step] = []
        var texts: [String] = []
        repeat {
            let start = rest.startIndex
            guard let step = Self.step(from: &rest) else { throw InvalidJSONPath() }
            steps.append(step)
            texts.append(String(text[start..<rest.startIndex]))
        } while !rest.isEmpty
        self.steps = steps
        self.texts = texts
    }

    /// The values that the path leads to, in the order of the document.
    package func values(in document: JSONValue) throws(RepeatedName) -> [JSONValue] {
        var values = [document]
        for step in steps { values = try Self.values(of: step, in: values) }
        return values
    }

    private static func values(
        of step: Step, in values: [JSONValue]
    ) throws(RepeatedName) -> [JSONValue] {
        var next: [JSONValue] = []
        for value in values { next += try step.values(in: value) }
        return next
    }

    /// Where the path ends too early.
    package struct End: Sendable, Hashable {
        /// The part of the path that leads to a value. It is empty if the first step leads nowhere.
        package let path: String
        /// The first value at this part, which has no such member or element.
        package let value: JSONValue
    }

    /// Where the path ends in a document that has nothing at the whole path; nil if the document has something there, or a
    /// repeated name.
    package func end(in document: JSONValue) -> End? {
        var values = [document]
        for (index, step) in steps.enumerated() {
            guard let next = try? Self.values(of: step, in: values) else { return nil }
            if next.isEmpty { return values.first.map { End(path: texts[..<index].joined(), value: $0) } }
            values = next
        }
        return nil
    }

    /// Reads the next step. Nil if the text does not begin with one.
    private static func step(from text: inout Substring) -> Step? {
        let hasDot = text.first == "."
        if hasDot { text.removeFirst() }
        switch text.first {
        case "[": return element(from: &text)
        case "\"" where hasDot: return quotedName(from: &text).map(Step.member)
        default:
            let name = text.prefix { !".[]\"".contains($0) && !$0.isWhitespace }
            guard hasDot, !name.isEmpty else { return nil }
            text = text[name.endIndex...]
            return .member(String(name))
        }
    }

    private static func element(from text: inout Substring) -> Step? {
        guard let end = text.firstIndex(of: "]") else { return nil }
        let digits = text[text.index(after: text.startIndex)..<end]
        let index = digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
        guard digits.isEmpty || index != nil else { return nil }
        text = text[text.index(after: end)...]
        return index.map(Step.element) ?? .everyElement
    }

    /// Reads a name in quotes, with the escapes of a JSON string.
    private static func quotedName(from text: inout Substring) -> String? {
        var isEscaped = false
        let end = text.indices.dropFirst().first { index in
            if isEscaped || text[index] == "\\" {
                isEscaped.toggle()
                return false
            }
            return text[index] == "\""
        }
        guard let end, case .string(let name) = try? JSONParser.parse(String(text[...end])) else {
            return nil
        }
        text = text[text.index(after: end)...]
        return name
    }
}

/// A path leads through a name that an object has twice.
package struct RepeatedName: Error, Sendable, Hashable {
    package let name: String

    package init(name: String) {
        self.name = name
    }
}

/// The text is not a path.
package struct InvalidJSONPath: Error, Sendable, Hashable {}
