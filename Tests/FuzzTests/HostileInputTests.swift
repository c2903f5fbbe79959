import BskyAuthFuzzTargets
import Foundation
import Testing

/// Untrusted input is refused and never traps.
///
/// Every target runs in its own process, so that a trap is a failed test with the seed in its name.
/// `BSKYAUTH_FUZZ_ROUNDS` sets the number of rounds. `scripts/dev/fuzz` runs longer and is guided by coverage.
@Suite("Hostile input") struct HostileInputTests {
    private static let rounds =
        ProcessInfo.processInfo.environment["BSKYAUTH_FUZZ_ROUNDS"].flatMap(Int.init) ?? 1500

    @Test("is taken or refused", arguments: FuzzTarget.all.map(\.name), [1, 2] as [UInt64])
    func mutations(name: String, seed: UInt64) async {
        await #expect(processExitsWith: .success) {
            [name, seed, rounds = Self.rounds as Int] in
            let target = try #require(FuzzTarget.named(name))
            var mutator = Mutator(seed: seed)
            for _ in 0..<rounds {
                for sample in target.samples {
                    let input = mutator.mutate(sample)
                    do { try target.read(input) } catch { Issue.record("\(error): \(input)") }
                }
            }
        }
    }

    @Test("samples are what they are to be samples of", arguments: FuzzTarget.all.map(\.name))
    func samples(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        #expect(!target.samples.isEmpty)
        for sample in target.samples { try target.read(sample) }
    }
}
