import BskyAuthCovers
import BskyAuthEndToEnd
import Foundation
import Testing

extension EndToEnd {
    /// What the servers saw of whole sessions: two accounts, and one of them logged in to again.
    @Suite("The journal of whole sessions")
    struct SessionJournalTests {
        @Test(
            "one key serves a session from the pushed request to the revocation, and no other session",
            .covers("R29", "R55", "B19"))
        func keys() async throws {
            let (requests, sessions) = try await wholeSessions()
            #expect(Set(sessions.map(\.jkt)).count == sessions.count)
            for session in sessions {
                let own = requests.filter { $0.jkt == session.jkt }
                #expect(own.first?.path == "/oauth/par")
                #expect((own.last?.path == "/oauth/revoke") == ServerProfile.current.revokes)
                #expect(own.last?.sessionEnded == ServerProfile.current.revokes)
                #expect(Set(own.compactMap(\.account)) == [session.did])
                let paths = Set(own.map(\.path))
                #expect(paths.contains("/oauth/token"))
                #expect(paths.contains("/xrpc/com.atproto.server.getSession"))
            }
            #expect(requests.allSatisfy { $0.jkt == nil || sessions.map(\.jkt).contains($0.jkt ?? "") })
        }

        @Test(
            "every authenticated request has a proof of its own for exactly this request",
            .covers("R49", "R50", "R53", "12.4"))
        func proofs() async throws {
            let (requests, sessions) = try await wholeSessions()
            let origin = try #require(sessions.first).pds
            let authenticated = requests.filter(\.isAuthenticated)
            let proofs = authenticated.compactMap(\.proof)
            #expect(proofs.count == authenticated.count)
            #expect(Set(proofs.map(\.payload.jti)).count == proofs.count)
            for request in authenticated {
                let proof = try #require(request.proof)
                #expect(proof.header.typ == "dpop+jwt" && proof.header.alg == "ES256")
                #expect(proof.payload.htm == request.method)
                #expect(proof.payload.htu == origin + request.path)
                let arrived = try #require(request.seconds)
                #expect(Double(proof.payload.iat) <= arrived)
                #expect((proof.payload.ath != nil) == (request.role == "pds"))
                #expect(request.athOk == (request.role == "pds" ? true : nil))
            }
            #expect(requests.filter { !$0.isAuthenticated }.allSatisfy { $0.proof == nil })
        }

        @Test("a nonce is asked for at most once in a row, and a refresh spends one grant")
        func grants() async throws {
            let (requests, sessions) = try await wholeSessions()
            for session in sessions {
                let own = requests.filter { $0.jkt == session.jkt }
                for (first, second) in zip(own, own.dropFirst()) {
                    #expect(!(first.isNonceChallenge && second.isNonceChallenge))
                    if first.isNonceChallenge { #expect(first.line == second.line) }
                }
                #expect(own.filter { $0.grant == "authorization_code" && $0.consumed }.count == 1)
                let refreshes = own.filter(\.isRefresh)
                #expect(refreshes.filter(\.consumed).count == (session.wasRefreshed ? 1 : 0))
                #expect(!refreshes.contains { !$0.consumed && !$0.isNonceChallenge })
            }
        }

        @Test(
            "the client id is the same, byte for byte, wherever a session names its client",
            .covers("R70", "12.3"))
        func clientIDs() async throws {
            let (requests, sessions) = try await wholeSessions()
            for session in sessions {
                let named = requests.filter { $0.jkt == session.jkt && $0.role == "as" }.map(\.clientId)
                #expect(Set(named.dropFirst(ServerProfile.current.refusedPushes)) == [session.clientID])
            }
        }

        @Test(
            "the browser is sent only the client id and the reference, once the request is pushed",
            .covers("R26", "R30"))
        func browser() async throws {
            let (requests, sessions) = try await wholeSessions()
            let visits = requests.indices.filter { requests[$0].line == "GET /oauth/authorize" }
            #expect(visits.count == sessions.count)
            for visit in visits {
                let query = URLComponents(string: "?" + (requests[visit].query ?? ""))?.queryItems
                #expect(query?.map(\.name).sorted() == ["client_id", "request_uri"])
                let earlier = requests[..<visit]
                let pushes = earlier.filter { $0.path == "/oauth/par" && $0.status == 201 }.count
                let earlierVisits = earlier.filter { $0.line == "GET /oauth/authorize" }.count
                #expect(pushes == earlierVisits + 1)
            }
        }

        private struct Session {
            let jkt: String
            let did: String
            let clientID: String
            let pds: String
            let wasRefreshed: Bool

            init(_ account: Account, wasRefreshed: Bool) {
                jkt = account.jkt
                did = account.did
                clientID = account.clientId
                pds = account.pds
                self.wasRefreshed = wasRefreshed
            }
        }

        /// Login, call, refresh, call for two accounts; the first logs in again, calls, and both log out.
        private func wholeSessions() async throws -> ([JournalRequest], [Session]) {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            var sessions: [Session] = []
            for handle in ["alice.test", "bob.test"] {
                sessions.append(Session(try await home.logIn(handle), wasRefreshed: true))
                try await home.succeed("call", "-a", handle, "com.atproto.server.getSession", "probe==1")
                try await home.succeed("refresh", handle, "--force")
                try await home.succeed("call", "-a", handle, "com.atproto.server.getSession")
            }
            sessions.append(Session(try await home.logIn("alice.test"), wasRefreshed: false))
            try await home.succeed("call", "-a", "alice.test", "com.atproto.server.getSession")
            try await home.succeed("logout", "alice.test", "bob.test")
            return (try await sandbox.requests(), sessions)
        }
    }
}
