internal import ATPCryptography
internal import ATPJSON
internal import ATPPlatform
internal import ATProtoSessions
internal import FoundationEssentials

/// The sealed file `watch` of an account: when this machine first saw the claim of another machine.
///
/// The time is counted on this machine's own clock since its start, so it does not matter what the clocks of other machines
/// say. After a restart the count begins anew.
struct ClaimWatch: Sendable {
    let layout: VaultLayout
    let files: SealedFileStore

    /// How long this machine has known of a claim. The first call notes it. The caller holds the account's lock.
    ///
    /// A machine that repeats an attempt under its claim writes the claim anew with another time, so the count begins anew too.
    func age(of claim: SharedClaim, account id: UUID) throws(VaultError) -> Duration {
        let now: BootMoment
        do { now = try BootMoment.now() } catch { throw .io(error) }
        let written = claim.written
        if let seen = try read(of: id), (seen.claim, seen.written) == (claim.id, written),
            seen.moment.boot == now.boot
        {
            let moment = seen.moment
            return .milliseconds(now.milliseconds - moment.milliseconds)
        }
        let content: JSONValue = [
            "claim": .string(claim.id.text), "at": JSONValue(written), "boot": .string(now.boot),
            "seen": JSONValue(now.milliseconds),
        ]
        try files.write(SecretBytes(Array(content.text.utf8)), generation: 0, to: layout.claimWatch(of: id))
        return .zero
    }

    private func read(of id: UUID) throws(VaultError) -> (claim: UUID, written: Int64, moment: BootMoment)? {
        guard let content = try files.read(layout.claimWatch(of: id))?.record.content,
            let json = try? JSONParser.parse(content.bytes),
            let claim = json["claim"]?.string.flatMap(UUID.init(text:)), let written = json["at"]?.integer,
            let boot = json["boot"]?.string,
            let seen = json["seen"]?.integer
        else { return nil }
        return (claim, written, BootMoment(boot: boot, milliseconds: seen))
    }
}
