extension HandleResolver {
    /// The DID in the TXT record at `_atproto.` before the handle (protocol:R4).
    func lookUpTextRecord(of handle: Handle) async throws(IdentityError) -> DID {
        func failure(_ code: IdentityError.Code) -> IdentityError {
            IdentityError(code, step: .handleTextRecord, subject: handle.description)
        }
        let name = "_atproto.\(handle)"
        // No such name can be in DNS, so nothing is there.
        guard name.utf8.count <= 253 else { throw failure(.notFound) }
        let records: [String]
        do {
            records = try await textRecords.textRecords(for: name)
        } catch {
            throw failure(.textRecords(error))
        }
        let values = Set(records.filter { $0.hasPrefix("did=") }.map { String($0.dropFirst(4)) })
        guard values.count <= 1 else { throw failure(.conflictingRecords) }
        guard let value = values.first else { throw failure(.notFound) }
        do { return try DID(validating: value) } catch { throw failure(.invalidDID(error)) }
    }
}
