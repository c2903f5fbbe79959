import Logging
import ServiceLifecycle
import Testing

@testable import BskyAuthServer

@Suite struct GraceTimeTests {
    /// Goes on after it was told to end.
    private struct Stubborn: Service {
        func run() async throws { try await Task.sleep(for: .seconds(1_000_000)) }
    }

    @Test("a shutdown does not wait for ever")
    func ends() async throws {
        let group = BackendServer.group(
            [Stubborn()], graceTime: .milliseconds(1), logger: Logger(label: "test"))
        async let running: Void = group.run()
        await group.triggerGracefulShutdown()
        // The service ends by its cancellation.
        do { try await running } catch is CancellationError {}
    }
}
