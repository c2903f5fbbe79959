extension TreeNode {
    /// The tree with an entry. It replaces an entry of the same key.
    ///
    /// - Parameter level: the layer of the entry.
    func inserting(_ entry: Entry, at level: Int) -> TreeNode {
        guard level <= layer else {
            let halves = split(at: entry.key)
            return TreeNode(
                layer: level, entries: [entry],
                children: [halves.before, halves.after].map { $0?.raised(to: level - 1) })
        }
        let place = place(of: entry.key)
        var (entries, children) = (entries, children)
        if level < layer {
            let child = children[place] ?? TreeNode(layer: layer - 1)
            children[place] = child.inserting(entry, at: level)
        } else if hasEntry(entry.key, at: place) {
            entries[place] = entry
        } else {
            let halves = children[place]?.split(at: entry.key)
            entries.insert(entry, at: place)
            children.replaceSubrange(place...place, with: [halves?.before, halves?.after])
        }
        return TreeNode(layer: layer, entries: entries, children: children)
    }

    /// The tree without an entry; `nil` when nothing is left. Its top may have no entries.
    func removing(_ key: String) -> TreeNode? {
        let place = place(of: key)
        var (entries, children) = (entries, children)
        if hasEntry(key, at: place) {
            entries.remove(at: place)
            children.replaceSubrange(
                place...(place + 1), with: [Self.merged(children[place], children[place + 1])])
        } else {
            children[place] = children[place]?.removing(key)
        }
        return Self.node(layer, entries, children)
    }

    /// The tree without nodes at the top that have no entries.
    var trimmed: TreeNode {
        guard entries.isEmpty, let child = children.first.flatMap(\.self) else { return self }
        return child.trimmed
    }

    /// A node with other entries and children at one place.
    func replacing(child: TreeNode, at place: Int) -> TreeNode {
        var children = children
        children[place] = child
        return TreeNode(layer: layer, entries: entries, children: children)
    }

    /// The parts before and behind a key that has no entry here.
    private func split(at key: String) -> (before: TreeNode?, after: TreeNode?) {
        let place = place(of: key)
        let halves = children[place]?.split(at: key)
        return (
            Self.node(layer, Array(entries[..<place]), children[..<place] + [halves?.before]),
            Self.node(layer, Array(entries[place...]), [halves?.after] + children[(place + 1)...])
        )
    }

    /// The node that has this one below nodes without entries.
    private func raised(to level: Int) -> TreeNode {
        layer == level ? self : TreeNode(layer: layer + 1, entries: [], children: [self]).raised(to: level)
    }

    /// One node of two neighbors in the same layer.
    private static func merged(_ left: TreeNode?, _ right: TreeNode?) -> TreeNode? {
        guard let left, let right else { return left ?? right }
        let middle = merged(left.children.last.flatMap(\.self), right.children.first.flatMap(\.self))
        return TreeNode(
            layer: left.layer, entries: left.entries + right.entries,
            children: left.children.dropLast() + [middle] + right.children.dropFirst())
    }

    /// A node; `nil` when it would have nothing.
    private static func node(_ layer: Int, _ entries: [Entry], _ children: [TreeNode?]) -> TreeNode? {
        guard !entries.isEmpty || children.contains(where: { $0 != nil }) else { return nil }
        return TreeNode(layer: layer, entries: entries, children: children)
    }
}
