internal import ATPJSON
internal import ATPPlatform
internal import ATProtoIdentity
internal import ATProtoLexicons
internal import ATProtoRecordProof
internal import ATProtoXRPC
internal import ArgumentParser

extension ArgumentHelp {
    /// Of `--lexicons`.
    static let lexicons = ArgumentHelp(
        "Use the lexicons of other apps in this folder, which lex install wrote, before those of their publishers.",
        valueName: "folder")
}

/// A folder with the lexicons of a project, as `lex install` of the official tools writes it. It is only read.
///
/// `lexicons.json` in the folder or beside it names each lexicon with the identifier of its record. A file that is another one is
/// refused, so that a project has the same lexicons everywhere.
struct LexiconFolder {
    let path: String
    /// The identifiers by name.
    private let cids: [NSID: String]

    /// - Throws: what is wrong with `lexicons.json`.
    init(_ path: String) throws {
        self.path = path
        let places = ["\(path)/lexicons.json", "\(path)/../lexicons.json"]
        guard let manifest = places.first(where: { (try? InputFile.read($0, limit: Self.longest)) != nil })
        else {
            throw Failure.usage(
                "there is no lexicons.json in \(path.escapedForTerminal) or beside it; lex install writes one"
            )
        }
        let json = try Self.json(manifest)
        guard json["version"]?.integer == 1, let resolutions = json["resolutions"]?.object else {
            throw Failure.usage("\(manifest.escapedForTerminal) is no manifest of lexicons of version 1")
        }
        let named = resolutions.members.compactMap { member -> (NSID, String)? in
            guard let nsid = try? NSID(validating: member.name), let cid = member.value["cid"]?.string else {
                return nil
            }
            return (nsid, cid)
        }
        cids = Dictionary(named) { first, _ in first }
    }

    /// The lexicon of a name; nil if the folder does not have it, and for the names that only the compiled edition tells.
    ///
    /// - Throws: why the file of the name is not the one that the manifest names.
    func lexicon(_ nsid: NSID) throws -> KnownLexicons.Foreign? {
        guard let cid = cids[nsid], !PublicMethods.areComplete(for: nsid) else { return nil }
        let file = "\(path)/\(nsid.description.replacing(".", with: "/")).json"
        guard let object = try Self.json(file).object, let value = DataValue(.object(object)) else {
            throw Self.failure("\(file) has no value of AT Protocol")
        }
        let found = CID(of: value.dagCBOR).description
        guard cid == found else {
            throw Self.failure("\(file) is \(found), and lexicons.json names \(cid)")
        }
        do {
            return .init(try LexiconDocument(validating: object, named: nsid), object, from: .folder)
        } catch { throw Self.failure("\(file) is no lexicon of this name: \(error.place) is wrong") }
    }

    private static func json(_ path: String) throws -> JSONValue {
        let bytes: [UInt8]
        do { bytes = try InputFile.read(path, limit: longest) } catch {
            throw Failure.unreadable(path, error, hint: "lex install writes it again")
        }
        do { return try JSONParser.parse(bytes) } catch { throw failure("\(path) is not JSON") }
    }

    private static func failure(_ problem: String) -> Failure {
        Failure(
            .verificationFailed, "lexicon_changed", problem.escapedForTerminal,
            hint:
                "lex install writes it again; without it:  leave out --lexicons, and unset BSKYAUTH_LEXICONS"
        )
    }

    /// The greatest size of a file, in bytes.
    private static let longest = 1 << 20
}
