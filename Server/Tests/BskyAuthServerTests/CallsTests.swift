import ATPNetworking
import Foundation
import HTTPTypes
import Testing

@testable import BskyAuthServer

@Suite struct CallsTests {
    private func calls(_ all: Int, perSession: Int, perServer: Int) -> Calls {
        Calls(
            Configuration.Limits(
                loginsPerClient: 1, logins: 1, loginsAtOnce: 1, uploadMegabytes: 1, uploadsAtOnce: 1,
                connections: 1, callsAtOnce: all, requestsPerSession: perSession, callsPerServer: perServer))
    }

    /// The error of a request or a call that gets no place.
    private func refusal(of session: UUID, _ calls: Calls) -> String? {
        do { _ = try calls.take(of: session) } catch { return text(error) }
        return nil
    }

    private func refusal(at server: Origin?, _ calls: Calls) -> String? {
        do { _ = try calls.take(at: server) } catch { return text(error) }
        return nil
    }

    private func text(_ problem: Problem) -> String {
        #expect(problem.retryAfter == 5)
        return "\(problem.status.code) \(problem.code)"
    }

    @Test("a session has its share of requests, whatever the others do")
    func sessions() throws {
        let calls = calls(1, perSession: 2, perServer: 1)
        let (one, other) = (UUID(), UUID())
        var slots = [try calls.take(of: one), try calls.take(of: one)]
        #expect(refusal(of: one, calls) == "429 too_many_requests")
        slots += [try calls.take(of: other), try calls.take(of: other)]
        slots.removeFirst()
        #expect(refusal(of: one, calls) == nil)
    }

    @Test("a server has its share of calls, and all servers no more than there is")
    func servers() throws {
        let calls = calls(4, perSession: 1, perServer: 3)
        let slow = try HTTPURL(validating: "https://slow.example").origin
        let fast = try HTTPURL(validating: "https://fast.example").origin
        var slots = try (0..<3).map { _ in try calls.take(at: slow) }
        #expect(refusal(at: slow, calls) == "503 server_busy")
        slots.append(try calls.take(at: fast))
        #expect(refusal(at: nil, calls) == "503 server_busy")
        slots.removeFirst()
        slots.append(try calls.take(at: nil))
        #expect(slots.count == 4)
    }
}
