import Foundation
import FuzzTargets
import Testing

/// Whatever a stranger sends is refused, not trapped on.
///
/// Every target runs in a process of its own: a trap there is a failed test here, with the seed in its name.
/// `BSKYAUTH_FUZZ_ROUNDS` asks for more than the rounds that fit a test run; `scripts/fuzz` looks longer, and
/// where the code goes.
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
