/// The methods of the public lexicons, for those who type one. Any other can be called as well.
enum PublicMethods {
    /// Made of ``list`` when a shell asks, and at no other time.
    static var names: [String] {
        var authority: Substring = ""
        return list.split(whereSeparator: \.isWhitespace).compactMap { word in
            guard word.last == "." else { return String(authority + word) }
            authority = word
            return nil
        }
    }
}
