package import ATProtoIdentity

/// A part of a text that stands for an account, an address or a topic (lexicon `app.bsky.richtext.facet`; protocol:X15).
package struct TextFacet: Sendable, Hashable {
    /// What a part of a text stands for.
    package enum Feature: Sendable, Hashable {
        /// An account, by its handle. The record needs the DID.
        case mention(Handle)
        /// An address. `https://` is added to a domain without it.
        case link(String)
        /// A topic, without its `#`.
        case tag(String)
    }

    /// The place in the UTF-8 text, in bytes.
    package let bytes: Range<Int>
    package let feature: Feature

    /// The facets of a text in their order, found as the official libraries find them. No two overlap: the first one counts.
    package static func all(in text: String) -> [TextFacet] {
        FacetScanner(text).facets
    }

    /// What follows an `@` and would be a handle if its last label were a top-level domain, such as `alice.bsky.socail`.
    package static func almostMentions(in text: String) -> [String] {
        FacetScanner(text).almostMentions
    }
}

/// Finds facets in the scalars of a text. A character can be more: a space with a combining mark still ends a word.
private struct FacetScanner {
    private let scalars: [Unicode.Scalar]
    /// The place of each scalar in the UTF-8 text, and the end of the text.
    private let places: [Int]

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
        var (places, place) = ([0], 0)
        for scalar in scalars {
            place += UTF8.width(scalar)
            places.append(place)
        }
        self.places = places
    }

    var facets: [TextFacet] {
        var (facets, position) = ([TextFacet](), 0)
        while position < scalars.count {
            guard let (feature, end) = facet(at: position) else {
                position += 1
                continue
            }
            facets.append(TextFacet(bytes: places[position]..<places[end], feature: feature))
            position = end
        }
        return facets
    }

    private typealias Found = (feature: TextFacet.Feature, end: Int)

    private func facet(at start: Int) -> Found? {
        guard mayBegin(start) else { return nil }
        return mention(at: start) ?? link(at: start) ?? (beginsWord(start) ? tag(at: start) : nil)
    }

    var almostMentions: [String] {
        scalars.indices.compactMap { start in
            guard mayBegin(start), let (handle, _) = handle(at: start) else { return nil }
            return Self.isMention(handle) ? nil : handle.description
        }
    }

    /// A mention and a link may also stand in parentheses.
    private func mayBegin(_ start: Int) -> Bool { beginsWord(start) || scalars[start - 1] == "(" }

    private func beginsWord(_ start: Int) -> Bool { start == 0 || Self.isSpace(scalars[start - 1]) }

    private func mention(at start: Int) -> Found? {
        guard let (handle, end) = handle(at: start), Self.isMention(handle) else { return nil }
        return (.mention(handle), end)
    }

    private static func isMention(_ handle: Handle) -> Bool {
        handle.topLevelDomain == "test" || TopLevelDomains.end(handle.description)
    }

    /// The handle after an `@`, whatever its last label is.
    private func handle(at start: Int) -> (handle: Handle, end: Int)? {
        guard scalars[start] == "@" else { return nil }
        let run = end(of: start + 1) { Self.isAlphanumeric($0) || $0 == "." || $0 == "-" }
        var end = run
        while end > start + 1, !Self.isAlphanumeric(scalars[end - 1]) { end -= 1 }
        // An underscore belongs to the word, which is then no handle.
        if end == run, end < scalars.count, scalars[end] == "_" { return nil }
        guard let handle = Handle(text(start + 1, end)) else { return nil }
        return (handle, end)
    }

    private func link(at start: Int) -> Found? {
        let scheme = ["https://", "http://"].first { begins($0, at: start) }
        let least = scheme.map { start + $0.count } ?? domainEnd(at: start)
        guard let least else { return nil }
        var end = end(of: least) { !Self.isSpace($0) }
        var unopened = 0
        for scalar in scalars[start..<end] { unopened += scalar == ")" ? 1 : scalar == "(" ? -1 : 0 }
        while end > start {
            let last = scalars[end - 1]
            if last == ")", unopened > 0 {
                unopened -= 1
            } else if !".,;:!?".unicodeScalars.contains(last) {
                break
            }
            end -= 1
        }
        if scheme != nil { return end > least ? (.link(text(start, end)), end) : nil }
        return (.link("https://" + text(start, end)), end)
    }

    /// The end of a domain without a scheme, whose last label is a top-level domain; nil if there is none.
    private func domainEnd(at start: Int) -> Int? {
        guard Self.isLetter(scalars[start]) else { return nil }
        let first = end(of: start, while: Self.isAlphanumeric)
        var domain = first
        while domain < scalars.count, scalars[domain] == "." {
            let label = end(of: domain + 1, while: Self.isAlphanumeric)
            guard label > domain + 1 else { break }
            domain = label
        }
        return domain > first && TopLevelDomains.end(text(start, domain)) ? domain : nil
    }

    private func tag(at start: Int) -> Found? {
        guard scalars[start] == "#" || scalars[start] == "\u{ff03}" else { return nil }
        let first = start + 1
        var end = end(of: first) { !Self.isSpace($0) && !Self.isInvisible($0) }
        // With a variation selector, the sign is an emoji.
        guard end > first, scalars[first] != "\u{fe0f}" else { return nil }
        let isWord = scalars[first..<end].contains { !Self.isDigit($0) && !Self.isPunctuation($0) }
        while end > first, Self.isPunctuation(scalars[end - 1]) { end -= 1 }
        let tag = text(first, end)
        // The limits of the lexicon.
        guard isWord, tag.count <= 64, tag.utf8.count <= 640 else { return nil }
        return (.tag(tag), end)
    }

    private func end(of start: Int, while belongs: (Unicode.Scalar) -> Bool) -> Int {
        scalars[start...].firstIndex { !belongs($0) } ?? scalars.count
    }

    private func begins(_ word: String, at start: Int) -> Bool {
        String(String.UnicodeScalarView(scalars[start...].prefix(word.count))).lowercased() == word
    }

    private func text(_ start: Int, _ end: Int) -> String {
        String(String.UnicodeScalarView(scalars[start..<end]))
    }

    // MARK: Classes

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

    private static func isAlphanumeric(_ scalar: Unicode.Scalar) -> Bool {
        isLetter(scalar) || isDigit(scalar)
    }

    /// White space as in JavaScript, whose regular expressions made the rules.
    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "\u{feff}" || scalar.properties.isWhitespace && scalar != "\u{85}"
    }

    /// A character of no width that ends a tag.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        ["\u{ad}", "\u{2060}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{20e2}"].contains(scalar)
    }

    private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .connectorPunctuation, .dashPunctuation, .openPunctuation, .closePunctuation,
            .initialPunctuation, .finalPunctuation, .otherPunctuation:
            true
        default: false
        }
    }
}
