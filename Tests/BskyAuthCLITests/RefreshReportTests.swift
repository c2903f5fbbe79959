import ATPJSON
import ATProtoSessions
import BskyAuthCore
import BskyAuthCovers
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCLI

@Suite("RefreshReport") struct RefreshReportTests {
    private let account: Account
    private let session: Session
    private let now: Date

    init() throws {
        account = try Sample.account()
        session = try Sample.session()
        // Two days before a session of 14 days ends.
        now = session.endsAt.addingTimeInterval(-2 * 86400)
    }

    private func report(failsWithin days: Double?, _ failures: (Failure, Session?)...) -> RefreshReport {
        var report = RefreshReport(failsWithin: days.map { $0 * 86400 }, now: now)
        for (failure, stored) in failures {
            let item = report.failed(
                UUID(), nil, failure, stored: stored, ending: stored.flatMap { report.ending($0, account) })
            report.append([item])
        }
        return report
    }

    private let passing = Failure(.network, "network", "the server does not answer")
    private let lasting = Failure(.loginNeeded, "session_expired", "the session ended")

    @Test("what passes by itself does not hide what doesn't", .covers("H7"))
    func order() {
        #expect(report(failsWithin: nil, (passing, nil), (lasting, nil)).failure?.status == .loginNeeded)
        #expect(report(failsWithin: nil, (passing, nil), (passing, nil)).failure?.status == .network)
        #expect(report(failsWithin: nil).failure == nil)
    }

    @Test("the dates of a session that was not refreshed are in its result, and whether it ends soon")
    func dates() throws {
        let results = try #require(
            report(failsWithin: 3, (passing, session), (lasting, session), (passing, nil)).json["results"]?
                .array)
        #expect(results.map { $0["error"]?.string } == ["network", "session_expired", "network"])
        let end = TimeText.rfc3339(session.endsAt)
        #expect(results.map { $0["session_ends_at"]?.string } == [end, nil, nil])
        #expect(results.map { $0["session_ends_soon"]?.bool } == [true, false, false])
        let fine = try #require(report(failsWithin: 1, (passing, session)).json["results"]?.array?.first)
        #expect(fine["session_ends_soon"]?.bool == false)
    }

    @Test("a session that ends soon is told of, also where the server can't be asked")
    func ending() {
        let soon = report(failsWithin: 3, (passing, session))
        #expect(soon.failure?.status == .loginNeeded)
        #expect(soon.items.flatMap(\.failures).count == 2)
        #expect(report(failsWithin: 1, (passing, session)).failure?.status == .network)
        #expect(report(failsWithin: nil, (passing, session)).failure?.status == .network)
        // One that has ended already is not about to.
        #expect(report(failsWithin: 3, (lasting, session)).items.flatMap(\.failures).count == 1)
    }
}
