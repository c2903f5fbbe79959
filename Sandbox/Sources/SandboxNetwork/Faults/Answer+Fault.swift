extension Answer {
    /// Applies a fault to an answer. The effects of the request stand.
    mutating func apply(_ action: Fault.Action) {
        switch action {
        case .respond, .drop, .delay:
            break
        case .amend(let amendment):
            amend(amendment)
        case .amendRedirect(let set, let remove):
            amendRedirect(set: set, remove: remove)
        case .bodyBytes(let count):
            body = .filler(count)
        case .truncate(let count, let promiseAll):
            let bytes = bytes ?? []
            let kept = Array(bytes.prefix(count))
            body = promiseAll ? .cut(kept, promised: bytes.count) : .bytes(kept)
        case .rawBody(let text):
            body = .bytes(Array(text.utf8))
        case .drip(let size, let pause):
            body = .drip(bytes ?? [], bytes: size, every: pause)
        }
    }

    private mutating func amend(_ amendment: Fault.Amendment) {
        if let status = amendment.status { self.status = status }
        for name in amendment.removeHeaders { headers[name] = nil }
        for header in amendment.headers { headers[header.name] = header.value.string ?? header.value.text }
        guard !amendment.set.isEmpty || !amendment.remove.isEmpty, let bytes,
            var json = try? JSONValue(parsing: bytes)
        else { return }
        for member in amendment.set { json.set(member.value, at: member.name) }
        for pointer in amendment.remove { json.remove(at: pointer) }
        body = .bytes(Array(json.text.utf8))
    }

    /// Edits the parameters of a redirect, in its query or its fragment.
    private mutating func amendRedirect(set: [JSONMember], remove: [String]) {
        guard let location = headers["location"], let mark = location.lastIndex(where: { "?#".contains($0) })
        else { return }
        var pairs = FormBody(urlencoded: location[location.index(after: mark)...]).fields
            .filter { !remove.contains($0.name) }.map { ($0.name, $0.value) }
        for member in set {
            let values = (member.value.array ?? [member.value]).map { $0.string ?? $0.text }
            let place = pairs.firstIndex { $0.0 == member.name } ?? pairs.endIndex
            pairs.removeAll { $0.0 == member.name }
            pairs.insert(contentsOf: values.map { (member.name, $0) }, at: min(place, pairs.endIndex))
        }
        headers["location"] = location[...mark] + FormBody.encoded(pairs)
    }
}
