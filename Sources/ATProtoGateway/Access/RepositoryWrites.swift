internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoXRPC
internal import HTTPTypes

/// What a request writes into a repository, read from its body.
struct RepositoryWrites {
    struct Write: Equatable {
        let action: PermissionScope.RecordAction
        let collection: NSID
    }

    /// Why a body can't be read.
    struct Unreadable: Error, Equatable {
        let reason: String
    }

    let all: [Write]

    private static let actions: [String: [PermissionScope.RecordAction]] = [
        "com.atproto.repo.createRecord": [.create],
        // It makes the record if there is none (atproto.com/specs/permission, repo).
        "com.atproto.repo.putRecord": [.create, .update],
        "com.atproto.repo.deleteRecord": [.delete],
    ]
    private static let batch = "com.atproto.repo.applyWrites"

    static func isWrite(_ request: XRPCRequest) -> Bool {
        let name = request.nsid.description
        return request.method == .procedure && (name == batch || actions[name] != nil)
    }

    /// - Parameter owner: the handle and the DID of the account.
    init(_ body: [UInt8], of request: XRPCRequest, owner: [String]) throws(Unreadable) {
        // Servers read other forms differently than we would.
        guard request.headerFields[.contentEncoding] == nil, Self.isJSON(request.contentType) else {
            throw Unreadable(reason: "it is not plain application/json")
        }
        guard request.parameters.isEmpty else { throw Unreadable(reason: "a write has no parameters") }
        let json: JSONValue
        do { json = try JSONParser.parse(body) } catch {
            throw Unreadable(reason: "it is not JSON, or has a name twice")
        }
        guard let repo = json["repo"]?.string, owner.contains(repo.lowercased()) else {
            throw Unreadable(reason: "its repo is not this account")
        }
        all = try Self.writes(in: json, of: request.nsid.description)
    }

    private static func isJSON(_ contentType: String) -> Bool {
        let parts = contentType.lowercased().split(separator: ";").map { $0.filter { $0 != " " } }
        return parts == ["application/json"] || parts == ["application/json", "charset=utf-8"]
    }

    static func writes(in json: JSONValue, of name: String) throws(Unreadable) -> [Write] {
        if let actions = actions[name] {
            let collection = try collection(of: json)
            return actions.map { Write(action: $0, collection: collection) }
        }
        guard let writes = json["writes"]?.array else { throw Unreadable(reason: "it has no writes") }
        var all: [Write] = []
        for write in writes {
            all.append(Write(action: try action(of: write), collection: try collection(of: write)))
        }
        return all
    }

    private static func action(of write: JSONValue) throws(Unreadable) -> PermissionScope.RecordAction {
        let type = write["$type"]?.string
        guard
            let action = PermissionScope.RecordAction.allCases.first(where: {
                type == "\(batch)#\($0.rawValue)"
            })
        else { throw Unreadable(reason: "a write has no known $type") }
        return action
    }

    private static func collection(of write: JSONValue) throws(Unreadable) -> NSID {
        guard let text = write["collection"]?.string, let collection = try? NSID(validating: text),
            collection.description == text
        else {
            throw Unreadable(reason: "a collection is not a name")
        }
        return collection
    }
}
