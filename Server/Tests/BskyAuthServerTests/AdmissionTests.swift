import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import BskyAuthServer

@Suite struct AdmissionTests {
    private final class Clock: Sendable {
        let time = Mutex(Date(timeIntervalSince1970: 60 * 30_000_000))
    }

    private let clock = Clock()

    private func admission(perClient: Int = 2, all: Int = 5, atOnce: Int = 9) -> Admission {
        Admission(
            Configuration.Limits(
                loginsPerClient: perClient, logins: all, loginsAtOnce: atOnce, uploadMegabytes: 1,
                uploadsAtOnce: 1, connections: 9, callsAtOnce: 1, requestsPerSession: 1, callsPerServer: 1)
        ) { [clock] in clock.time.withLock { $0 } }
    }

    private func sender(_ address: String) -> Client { Client(ClientAddress(address), [], trusting: []) }

    private func isAdmitted(_ admission: Admission, _ client: String) async throws -> Bool {
        do { try await admission.admit(sender(client)) {} } catch let problem as Problem {
            #expect(problem.status == .tooManyRequests)
            #expect((1...60).contains(problem.retryAfter ?? 0))
            return false
        }
        return true
    }

    @Test("one client has its share of a minute, and all have theirs")
    func shares() async throws {
        let admission = admission()
        var admitted: [Bool] = []
        for client in ["::1", "::2", "::3", "1.1.1.1", "1.1.1.2", "1.1.1.2", "1.1.1.3"] {
            admitted.append(try await isAdmitted(admission, client))
        }
        #expect(admitted == [true, true, false, true, true, true, false])
        clock.time.withLock { $0 += 60 }
        #expect(try await isAdmitted(admission, "::3"))
    }

    @Test("few logins begin at once, also across minutes, and a place is given back after a failure")
    func atOnce() async throws {
        let admission = admission(perClient: 9, all: 9, atOnce: 1)
        struct Failure: Error {}
        await #expect(throws: Failure.self) {
            try await admission.admit(.unknown) {
                self.clock.time.withLock { $0 += 60 }
                #expect(try await !self.isAdmitted(admission, "::1"))
                throw Failure()
            }
        }
        #expect(try await isAdmitted(admission, "::1"))
    }

    @Test("one client begins at most half of them, so that another one can begin a login, too")
    func share() async throws {
        let admission = admission(perClient: 9, all: 9, atOnce: 3)
        let (itself, another) = try await admission.admit(sender("::1")) {
            try await admission.admit(sender("::1")) {
                (
                    try await self.isAdmitted(admission, "::1"),
                    try await self.isAdmitted(admission, "1.1.1.1")
                )
            }
        }
        #expect(!itself && another)
    }
}
