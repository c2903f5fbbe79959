import Foundation

extension ControlEndpoints {
    /// Sets the fault of an account's repository, or the CAR file that stands for it.
    func setRepository(_ json: JSONValue) async throws(Fault.Malformed) -> Answer {
        try Fault.allow(["did", "handle", "fault", "car", "multikey"], in: json, "repository")
        guard let account = accounts.find(try identifier(in: json)) else { throw Self.noAccount }
        guard (json["fault"] == nil) != (json["car"] == nil) else {
            throw Fault.Malformed(reason: "either fault or car is required")
        }
        if let fault = json["fault"] {
            await repositories.set(try Self.fault(fault), of: account)
        } else if let car = json["car"]?.string {
            guard let bytes = Data(base64Encoded: car), let multikey = json["multikey"]?.string,
                multikey.hasPrefix("z")
            else { throw Fault.Malformed(reason: "a car is base64 and needs a multikey") }
            await repositories.setForeignFile(Array(bytes), of: account)
            _ = accounts.update(account.did) { $0.name(multikey, at: clock.now) }
        } else {
            await repositories.setForeignFile(nil, of: account)
            _ = accounts.update(account.did) { $0.name($0.signingKey.publicKey.multikey, at: clock.now) }
        }
        return .json(Self.summary(account))
    }

    private static func fault(_ json: JSONValue) throws(Fault.Malformed) -> RepositoryFault? {
        if json == .null { return nil }
        guard let fault = json.string.flatMap(RepositoryFault.init) else {
            let names = RepositoryFault.allCases.map(\.rawValue).joined(separator: ", ")
            throw Fault.Malformed(reason: "a fault of a repository is null or one of \(names)")
        }
        return fault
    }
}
