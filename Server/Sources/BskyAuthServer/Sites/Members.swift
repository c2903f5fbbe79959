internal import ATProtoIdentity
internal import FoundationEssentials

/// The list of those who may open the protected sites.
struct Members: Sendable, Equatable {
    private(set) var dids: Set<String> = []
    private(set) var handles: Set<String> = []

    /// Reads a list: one DID or handle a line. `#` begins a comment.
    ///
    /// - Throws: ``MembersError`` at the first line that is neither. A list that is read in part may name somebody else.
    init(_ text: String) throws(MembersError) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }.map(String.init)
            guard let entry = words.first else { continue }
            let name = entry.hasPrefix("@") ? String(entry.dropFirst()) : entry
            if words.count == 1, let did = DID(entry) {
                dids.insert(did.description)
            } else if words.count == 1, let handle = Handle(name) {
                handles.insert(handle.description)
            } else {
                throw MembersError(description: "line \(index + 1) is neither a DID nor a handle")
            }
        }
    }

    /// Reads the file of a list.
    init(file: String) throws(MembersError) {
        let text: String
        do { text = try TextFile.read(file) } catch { throw MembersError(description: error.description) }
        do { try self.init(text) } catch { throw MembersError(description: "\(file): \(error.description)") }
    }

    func contains(_ person: SiteGate.Person) -> Bool {
        dids.contains(person.did) || person.handle.map { handles.contains($0.description) } ?? false
    }
}

/// Why a list can't be read.
struct MembersError: Error, Equatable, CustomStringConvertible {
    let description: String
}
