extension String {
    /// The most similar of some words; nil if no word is similar.
    ///
    /// - Parameter most: how many letters may differ; nil for a third of them.
    func nearest(of words: [String], within most: Int? = nil) -> String? {
        let near = words.map { (word: $0, distance: distance(to: $0)) }.min { $0.distance < $1.distance }
        return near.flatMap { $0.distance <= most ?? max(1, count / 3) ? $0.word : nil }
    }

    /// The number of letters to add, remove or replace to get another word (Levenshtein distance).
    private func distance(to other: String) -> Int {
        let letters = Array(other)
        var row = Array(0...letters.count)
        for (index, letter) in enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in letters.indices {
                let changed = diagonal + (letter == letters[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, min(row[column], row[column + 1]) + 1)
            }
        }
        return row[letters.count]
    }
}
