extension String {
    /// The most similar of some words; nil if no word is similar.
    ///
    /// - Parameter most: how many letters may differ; nil for a third of them.
    func nearest(of words: [String], within most: Int? = nil) -> String? {
        let near = words.map { (word: $0, distance: distance(to: $0)) }.min { $0.distance < $1.distance }
        return near.flatMap { $0.distance <= most ?? max(1, count / 3) ? $0.word : nil }
    }

    /// The number of changes to get another word. A change adds, removes or replaces a letter, or swaps two neighbours
    /// (optimal string alignment).
    private func distance(to other: String) -> Int {
        let (mine, theirs) = (Array(self), Array(other))
        var beforeLast: [Int] = []
        var last = Array(0...theirs.count)
        for i in mine.indices {
            var row = [i + 1]
            for j in theirs.indices {
                let replaced = last[j] + (mine[i] == theirs[j] ? 0 : 1)
                row.append(min(replaced, min(last[j + 1], row[j]) + 1))
                if i > 0, j > 0, mine[i] == theirs[j - 1], mine[i - 1] == theirs[j] {
                    row[j + 1] = min(row[j + 1], beforeLast[j - 1] + 1)
                }
            }
            (beforeLast, last) = (last, row)
        }
        return last[theirs.count]
    }
}
