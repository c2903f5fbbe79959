extension PersonalDataServer {
    /// One of the writes that com.atproto.repo.applyWrites takes.
    private struct Step {
        /// The raw values are the names of the definitions in the lexicon, and the actions of scopes.
        enum Action: String, CaseIterable {
            case create, update, delete

            static let lexicon = "com.atproto.repo.applyWrites"

            init?(type: String) {
                guard let action = Self.allCases.first(where: { type == "\(Self.lexicon)#\($0)" }) else {
                    return nil
                }
                self = action
            }

            var resultType: JSONValue { .string("\(Self.lexicon)#\(rawValue)Result") }
        }

        let action: Action
        let collection: String
        let key: String?
        /// The write as the body has it, and the way to it.
        let json: JSONValue
        let path: String
    }

    private static let mostWrites = 200

    /// Carries out several writes in one commit, or none of them.
    func applyWrites(_ call: XRPCCall) async throws(XRPCFailure) -> Answer {
        guard let array = call.input["writes"]?.array else {
            throw .invalidRequest("Error: Input/writes must be an array")
        }
        var steps: [Step] = []
        for (index, json) in array.enumerated() { steps.append(try Self.step(json, index)) }
        let account = try ownAccount(call)
        guard steps.count <= Self.mostWrites else {
            throw .invalidRequest("Too many writes. Max: \(Self.mostWrites)")
        }
        for action in Step.Action.allCases {
            for step in steps where step.action == action {
                try call.requireWrite(action.rawValue, in: step.collection)
            }
        }
        var (writes, results): ([RecordWrite], [JSONValue]) = ([], [])
        for step in steps {
            var result: JSONValue = [:]
            if step.action == .delete {
                writes.append(
                    .delete(collection: step.collection, key: step.key ?? "", isNeeded: true))
            } else {
                let content = try await content(
                    step.json, (step.collection, step.key), at: "value", in: step.path)
                writes.append(step.action == .create ? .create(content) : .update(content))
                result = content.summary(of: account, validates: call.validatesRecords)
            }
            result.set(step.action.resultType, at: "/$type")
            results.append(result)
        }
        let commit = try await repositories.commit(
            writes, of: account, swapping: call.input["swapCommit"]?.string)
        return .json(["commit": commit.summary, "results": .array(results)])
    }

    private static func step(_ json: JSONValue, _ index: Int) throws(XRPCFailure) -> Step {
        let path = "/writes/\(index)"
        guard let type = json["$type"]?.string else {
            throw .invalidRequest(
                "Error: Input\(path) must be an object which includes the \"$type\" property")
        }
        guard let action = Step.Action(type: type) else {
            let types = Step.Action.allCases.map { "lex:\(Step.Action.lexicon)#\($0)" }
            throw .invalidRequest("Error: Input\(path) $type must be one of \(types.joined(separator: ", "))")
        }
        let (collection, key) = try target(of: json, at: path)
        guard action == .create || key != nil else {
            throw .invalidRequest("Error: Input\(path) must have the property \"rkey\"")
        }
        return Step(action: action, collection: collection, key: key, json: json, path: path)
    }
}
