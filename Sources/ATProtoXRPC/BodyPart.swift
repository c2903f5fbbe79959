internal import ATPJSON

/// A part of a body that is put together from named values.
indirect enum BodyPart {
    case value(JSONValue)
    case members([(name: String, part: BodyPart)])
    /// Nil for an element without a value yet.
    case elements([BodyPart?])

    /// A JSON value whose members or elements can be added to.
    private init(opening json: JSONValue) {
        switch json {
        case .object(let object): self = .members(object.members.map { ($0.name, .value($0.value)) })
        case .array(let elements): self = .elements(elements.map { .value($0) })
        default: self = .value(json)
        }
    }

    /// The part with a value at a place in it; nil if another value is there, or on the way to it.
    ///
    /// - Parameter part: nil for a part that does not exist yet.
    static func putting(
        _ json: JSONValue, at steps: ArraySlice<MemberPath.Step>, into part: BodyPart?
    ) -> BodyPart? {
        guard let step = steps.first else {
            guard let part else { return .value(json) }
            return part.merged(with: json)
        }
        let rest = steps.dropFirst()
        switch (step, part?.opened ?? (step.isMember ? .members([]) : .elements([]))) {
        case (.member(let name), .members(var members)):
            let index = members.firstIndex { $0.name == name }
            let old = index.map { members[$0].part }
            guard let new = putting(json, at: rest, into: old) else { return nil }
            if let index { members[index].part = new } else { members.append((name, new)) }
            return .members(members)
        case (.element(let index), .elements(var elements)):
            while elements.count <= index { elements.append(nil) }
            guard let new = putting(json, at: rest, into: elements[index]) else { return nil }
            elements[index] = new
            return .elements(elements)
        case (.next, .elements(let elements)):
            return putting(json, at: rest, into: nil).map { .elements(elements + [$0]) }
        default: return nil
        }
    }

    private var opened: BodyPart {
        if case .value(let json) = self { BodyPart(opening: json) } else { self }
    }

    /// The part with the members of an object; nil unless both are objects and no member is in both.
    private func merged(with json: JSONValue) -> BodyPart? {
        guard case .members = opened, let object = json.object else { return nil }
        return object.members.reduce(self) { part, member in
            part.flatMap { Self.putting(member.value, at: [.member(member.name)], into: $0) }
        }
    }

    /// The finished value.
    ///
    /// - Parameter name: the name of the part in an item, for the error about a missing element.
    func json(named name: String) throws(InvalidXRPCInput) -> JSONValue {
        switch self {
        case .value(let json): return json
        case .members(let members):
            var object = JSONObject()
            for (member, part) in members {
                object[member] = try part.json(named: name.isEmpty ? member : "\(name)[\(member)]")
            }
            return .object(object)
        case .elements(let elements):
            var array: [JSONValue] = []
            for (index, element) in elements.enumerated() {
                guard let element else { throw .missingElement("\(name)[\(index)]") }
                array.append(try element.json(named: "\(name)[\(index)]"))
            }
            return .array(array)
        }
    }
}

extension MemberPath.Step {
    fileprivate var isMember: Bool { if case .member = self { true } else { false } }
}
