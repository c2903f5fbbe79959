import ATPCryptography
import ATPJSON
import ATPNetworking
import ATProtoOAuth
import ATProtoSessions
import ATProtoVault
import BskyAuthTestSupport
import Foundation
import HTTPTypes
import OAuthDPoP
import Testing

@testable import BskyAuthCore

@Suite("ReachFlow") struct ServerCheckFlowTests {
    let world: World

    init() throws { world = try World() }

    private func reach(_ accounts: (Account, Session)...) async throws -> [ServerCheckFlow.Finding] {
        var all: [(account: Account, session: Session)] = []
        for (account, session) in accounts {
            let id = try await world.add(session, account)
            all.append((try world.accounts.account(id), session))
        }
        return try await ServerCheckFlow(world.environment.network, until: world.section).reach(all)
    }

    private static let status = "\(World.pds)/xrpc/com.atproto.sync.getRepoStatus"

    /// The requests without their queries.
    private var requests: [String] { world.network.urls.map { String($0.prefix { $0 != "?" }) } }

    @Test(
        "accounts at the same servers are one question to each of them, and one for each account, without a token"
    )
    func once()
        async throws
    {
        let findings = try await reach(
            (try World.account(label: "one"), try World.session()),
            (try World.account(label: "two"), try World.session()))
        #expect(findings.count == 1 && findings.first?.accounts.map(\.label) == ["one", "two"])
        guard case .success? = findings.first?.result else {
            Issue.record("expected .success")
            return
        }
        #expect(
            requests == [World.resourceMetadata, World.serverMetadata, Self.status, Self.status])
        #expect(world.network.requests.allSatisfy { $0.headerFields[.authorization] == nil })
    }

    @Test("a PDS that names another issuer than the session's is found out") func otherIssuer() async throws {
        let session = try World.session()
        let old = try Issuer(
            validating: "https://old.example.com", profile: .atproto, policy: NetworkPolicy())
        let moved = Session(
            credential: .oauth(
                OAuthCredential(issuer: old, client: Client(ClientID("http://localhost")), key: try DPoPKey())
            ),
            createdAt: session.createdAt, accessToken: session.accessToken,
            refreshToken: session.refreshToken, accessExpiresAt: session.accessExpiresAt,
            obtainedAt: session.obtainedAt, scope: session.scope)
        let findings = try await reach((try World.account(), moved))
        guard
            case .failure(SessionFailure.verification(.issuerMismatch(_, let expected, let found)))? =
                findings
                .first?
                .result
        else {
            Issue.record("another result")
            return
        }
        #expect(expected == "https://old.example.com" && found == World.pds)
    }

    @Test("one server that is down hides no other") func down() async throws {
        let findings = try await reach(
            (try World.account(label: "down", pds: "https://down.example.com"), try World.session()),
            (try World.account(), try World.session()))
        #expect(findings.map { (try? $0.result.get()) != nil } == [false, true])
    }

    @Test(
        "an app password's service is asked what it is", arguments: [(200, true), (401, true), (503, false)])
    func password(status: Int, isReached: Bool) async throws {
        let url = "\(World.pds)/xrpc/com.atproto.server.describeServer"
        world.network.answer(url, .json([:], status: status))
        let session = try World.session()
        let password = Session(
            credential: .password(service: try HTTPURL(validating: World.pds).origin),
            createdAt: session.createdAt, accessToken: session.accessToken,
            refreshToken: session.refreshToken, accessExpiresAt: session.accessExpiresAt,
            obtainedAt: session.obtainedAt, scope: session.scope)
        let findings = try await reach((try World.account(), password))
        #expect(((try? findings.first?.result.get()) != nil) == isReached)
        #expect(requests == [url] + (isReached ? [Self.status] : []))
    }

    @Test("an account that has moved is a finding of its own, and its DID is looked up once in ten minutes")
    func moved() async throws {
        world.network.answer(Self.status, .json(["active": false, "status": "deactivated"]))
        let old = "https://old.example.com"
        let session = try World.session(issuer: old)
        let gone = try await reach((try World.account(label: "moved", pds: old), session))
        #expect(gone.first?.move?.server.description == World.pds)
        #expect(gone.first?.accounts.map(\.label) == ["moved"])
        #expect(world.network.requests(to: World.plc).count == 1)
        let account = try #require(gone.first?.accounts.first)
        let moves = MoveFinder(world.environment.network)
        let issuer = session.credential.oauth?.issuer
        #expect(await moves.find(account, issuer: issuer).newServer?.description == World.pds)
        #expect(world.network.requests(to: World.plc).count == 1)
        world.clock.advance(601)
        #expect(await moves.find(account, issuer: issuer).newServer?.description == World.pds)
        #expect(world.network.requests(to: World.plc).count == 2)
        // An account that is deactivated where its DID leads has not moved.
        let here = try await reach((try World.account(label: "here"), try World.session()))
        #expect(here.count == 1 && here.first?.move == nil)
        #expect(world.network.requests(to: World.plc).count == 3)
    }

    @Test("an account at another server of its issuer has not moved, because its session is good there")
    func sameIssuer() async throws {
        let session = try World.session()
        let found = try await reach((try World.account(pds: "https://old.example.com"), session))
        #expect(found.count == 1 && found.first?.move == nil)
        let account = try #require(found.first?.accounts.first)
        let finding = await MoveFinder(world.environment.network).find(
            account, issuer: session.credential.oauth?.issuer)
        #expect(finding == .sameIssuer(try #require(Origin(server: World.pds))))
        #expect(finding.newServer == nil)
    }

    @Test("an account whose DID can't be looked up may be anywhere") func unknown() async throws {
        let account = try World.account(pds: "https://old.example.com")
        world.network.answer(World.plc, .json([:], status: 503))
        let finding = await MoveFinder(world.environment.network).find(account, issuer: nil)
        #expect(finding == .unknown && finding.newServer == nil)
    }

    @Test("nothing is asked where there is no account") func none() async throws {
        #expect(try await reach().isEmpty)
        #expect(world.network.requests.isEmpty)
    }
}
