internal import ATPJSON
internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoIdentity
internal import ATProtoXRPC
internal import FoundationEssentials

/// A record of `createRecord` as `putRecord` writes it: under a key that is known before, so that the call can be sent twice.
struct KeyedWrite {
    private let key: String
    /// Whether a record of this key can be there already.
    private let mayBeThere: Bool
    /// The members of the body as items, each quoted for a shell; nil if the body is a file.
    private let items: [String]?

    /// Nil for another method, and for a body that no items make.
    ///
    /// - Parameter onlyKey: the key that the collection has, if it has one only.
    init?(_ request: XRPCRequest, at now: Date, onlyKey: String? = nil) {
        guard request.nsid.description == "com.atproto.repo.createRecord" else { return nil }
        switch request.body {
        case .none: return nil
        case .stream:
            (key, items) = (onlyKey ?? TID(at: now).description, nil)
            mayBeThere = onlyKey != nil
        case .bytes(let bytes):
            guard let body = try? JSONParser.parse(bytes), let members = body.object?.members,
                members.allSatisfy({ $0.name.allSatisfy(\.isLetter) })
            else { return nil }
            key = onlyKey ?? body["rkey"]?.string ?? TID(at: now).description
            mayBeThere = body["rkey"] != nil || onlyKey != nil
            // The server refuses to create a record whose key is taken, and so must the write with this key.
            items =
                members.filter { $0.name != "rkey" }.map(Self.item) + (mayBeThere ? ["swapRecord:=null"] : [])
        }
    }

    /// What to do instead.
    ///
    /// - Parameters:
    ///   - input: the file of the body, as the command line names it.
    ///   - options: the options that the command keeps.
    func instruction(input: String?, options: [String]) -> String {
        let call = "bskyauth call com.atproto.repo.putRecord"
        let options = options.map(\.escapedForTerminal.shellQuoted)
        guard let items else {
            let file =
                input.flatMap { InputFile.isDescriptor($0) ? nil : $0.escapedForTerminal.shellQuoted }
                ?? "FILE"
            let members = "\"rkey\": \"\(key)\"" + (mayBeThere ? " and \"swapRecord\": null" : "")
            return "add \(members) to the body, then: "
                + ([call, "--input", file] + options).joined(separator: " ")
        }
        return ([call] + items + ["rkey=\(key)".escapedForTerminal.shellQuoted] + options)
            .joined(separator: " ")
    }

    private static func item(_ member: JSONObject.Member) -> String {
        if let text = member.value.string, text.shellQuoted == text, !text.hasPrefix("=") {
            return "\(member.name)=\(text)".shellQuoted
        }
        return "\(member.name):=\(member.value.text.escapingDirections)".shellQuoted
    }
}
