import ATPNetworking
import ATProtoIdentity
import ATProtoLoopback
import ATProtoSessions
import BskyAuthCovers
import BskyAuthTestSupport
import Testing

@Suite("A loopback login", .serialized, .timeLimit(.minutes(5))) struct LoopbackRedirectTests {
    private let world: World

    init() throws { world = try World() }

    private func failure(
        _ client: ATProtoClient, _ open: @escaping @Sendable (HTTPURL) async throws -> Void
    ) async -> ATProtoFailure? {
        do { _ = try await LoopbackRedirect.login(World.did, with: client, open: open) } catch {
            return error
        }
        return nil
    }

    @Test("goes on after strangers, and saves the account of the real redirect", .covers("L15"))
    func strangers() async throws {
        let (world, client) = (world, world.client())
        let account = try await LoopbackRedirect.login(World.did, label: "work", with: client) { page in
            #expect(page.query?.contains("request_uri=") == true)
            let here = try world.sent("redirect_uri")
            #expect(try await world.visit(here) == 400)
            #expect(try await world.visit("\(here)?code=c&state=s&iss=\(World.pds)") == 400)
            #expect(try await world.visit(try world.redirect().replacing("/callback", with: "/other")) == 404)
            #expect(world.network.requests(to: World.token).isEmpty)
            let status = try await world.visit(try world.redirect())
            #expect(status == 200)
        }
        #expect(account.did.description == World.did && account.label == "work")
        #expect(try await client.accounts == [account])
        #expect(try await world.isClosed())
    }

    @Test("has a port in its redirect URI, and none in its client ID") func clientID() async throws {
        let (world, client) = (world, world.client())
        _ = try await LoopbackRedirect.login(World.did, with: client) { _ in
            _ = try await world.visit(try world.redirect())
        }
        #expect(
            try world.sent("client_id")
                == "http://localhost?redirect_uri=http%3A%2F%2F127.0.0.1%2Fcallback&scope=atproto")
        let form = try #require(world.network.requests(to: World.token).last?.form)
        let redirectURI = try world.sent("redirect_uri")
        #expect(redirectURI.hasPrefix("http://127.0.0.1:"))
        #expect(form.single("redirect_uri") == redirectURI)
    }

    @Test("gives a page that is loaded twice one result, and spends the code once") func reload() async throws
    {
        let world = world
        _ = try await LoopbackRedirect.login(World.did, with: world.client()) { _ in
            let redirect = try world.redirect()
            let (arrived, answer) = (Gate(), Gate())
            world.network.answer(World.token, .held(answer, World.tokens))
            world.network.observe(World.token) { arrived.open() }
            async let first = world.visit(redirect)
            await arrived.wait()
            async let second = world.visit(redirect)
            answer.open()
            let statuses = try await [first, second]
            #expect(statuses == [200, 200])
        }
        #expect(world.network.requests(to: World.token).count == 1)
    }

    @Test("never takes the redirect of an earlier login, on the same port too") func samePort() async throws {
        let world = world
        _ = try await LoopbackRedirect.login(World.did, with: world.client()) { _ in
            _ = try await world.visit(try world.redirect())
        }
        let here = try world.sent("redirect_uri")
        let client = world.client(here)
        _ = try await LoopbackRedirect.login(World.did, with: client) { _ in
            #expect(try world.sent("redirect_uri") == here)
            _ = try await world.visit(try world.redirect())
        }
        let old = try world.redirect()
        _ = try await LoopbackRedirect.login(World.did, with: client) { _ in
            let stale = try await world.visit(old)
            #expect(stale == 400)
            let busy = await self.failure(client) { _ in Issue.record("a page of a login without a port") }
            #expect(busy?.code == .userAgent)
            #expect(busy?.description.hasSuffix("is in use") == true)
            #expect(busy?.cause is LoopbackUnavailable)
            let status = try await world.visit(try world.redirect())
            #expect(status == 200)
        }
        #expect(world.network.requests(to: World.token).count == 3)
    }

    @Test("ends when it is cancelled, and the next one works") func cancelled() async throws {
        let (world, client, shown) = (world, world.client(), Gate())
        let login = Task { await failure(client) { _ in shown.open() } }
        await shown.wait()
        login.cancel()
        #expect(await login.value?.code == .cancelled)
        #expect(try await world.isClosed())
        #expect(try await client.accounts.isEmpty)
        let account = try await LoopbackRedirect.login(World.did, with: client) { _ in
            let status = try await world.visit(try world.redirect())
            #expect(status == 200)
        }
        #expect(try await client.accounts == [account])
    }

    @Test("that is cancelled during the exchange of its code goes on") func exchanging() async throws {
        let (world, client, arrived, answer) = (world, world.client(), Gate(), Gate())
        world.network.answer(World.token, .held(answer, World.tokens))
        world.network.observe(World.token) { arrived.open() }
        let login = Task {
            try await LoopbackRedirect.login(World.did, with: client) { _ in
                // The visit itself is not cancelled with the login.
                let status = try await Task { try await world.visit(try world.redirect()) }.value
                #expect(status == 200)
            }
        }
        await arrived.wait()
        login.cancel()
        answer.open()
        let account = try await login.value
        #expect(try await client.accounts == [account])
    }

    @Test(
        "ends after its time limit, if the page can't be shown, and if the person denies it; the port is closed"
    )
    func ends() async throws {
        let world = world
        #expect(await failure(world.client(clock: HastyClock())) { _ in }?.code == .timedOut)
        #expect(try await world.isClosed())

        struct NoBrowser: Error {}
        let unshown = await failure(world.client()) { _ in throw NoBrowser() }
        #expect(unshown?.code == .userAgent && unshown?.cause is NoBrowser)
        #expect(try await world.isClosed())

        let denied = await failure(world.client()) { _ in
            let status = try await world.visit(try world.redirect("error=access_denied"))
            #expect(status == 400)
        }
        #expect(denied?.code == .denied)
        #expect(try await world.isClosed())
        #expect(world.network.requests(to: World.token).isEmpty)
    }

    @Test(
        "is refused at once with a redirect URI of another place",
        arguments: [
            "https://app.example.com/callback", "http://localhost/callback", "http://[::1]/callback",
            "https://127.0.0.1/callback", "http://127.0.0.1/callback?app=1", "callback",
        ])
    func elsewhere(redirectURI: String) async throws {
        let failure = await failure(world.client(redirectURI)) { _ in Issue.record("a page was shown") }
        #expect(failure?.code == .invalidArgument)
        #expect(world.network.requests.isEmpty)
    }
}
