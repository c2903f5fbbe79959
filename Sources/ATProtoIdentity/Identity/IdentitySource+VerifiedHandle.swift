extension IdentitySource {
    /// The handle of a DID, if the two name each other now.
    ///
    /// - Returns: nil if the document claims no handle, or one that does not lead back to the DID.
    /// - Throws: ``IdentityError`` if the document or the handle could not be looked up, so that it is not known.
    public func verifiedHandle(of did: DID) async throws(IdentityError) -> Handle? {
        guard let handle = try await document(of: did).claimedHandle else { return nil }
        do { return try await self.did(of: handle) == did ? handle : nil } catch {
            if error.kind == .unavailable { throw error }
            return nil
        }
    }
}
