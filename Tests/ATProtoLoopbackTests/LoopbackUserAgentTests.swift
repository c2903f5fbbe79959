import ATPNetworking
import ATProtoCurl
import ATProtoLoopback
import HTTPTypes
import Testing

@Suite("LoopbackUserAgent", .timeLimit(.minutes(5))) struct LoopbackUserAgentTests {
    @Test("shows the page, and returns the URL that the browser was sent to") func redirect() async throws {
        let shown = try HTTPURL(validating: "https://pds.example.com/oauth/authorize?request_uri=r")
        let browser = Browser()
        let agent = try await LoopbackUserAgent { page in
            #expect(page == shown)
            await browser.follow("?code=c&state=s")
        }
        await browser.use(agent.redirectURI)
        #expect(agent.redirectURI.hasPrefix("http://127.0.0.1:"))
        #expect(agent.redirectURI.hasSuffix("/callback"))
        let url = try await agent.authorize(shown, redirectURI: agent.redirectURI)
        #expect(url == agent.redirectURI + "?code=c&state=s")
        #expect(await browser.statuses == [200])
        await agent.close()
    }

    @Test("says in plain words that a port is taken, and a cancelled wait ends") func unavailable()
        async throws
    {
        let agent = try await LoopbackUserAgent { _ in }
        let port = try HTTPURL(validating: agent.redirectURI).origin.port
        let error = try await #require(throws: LoopbackUnavailable.self) {
            _ = try await LoopbackUserAgent(ports: port...port) { _ in }
        }
        #expect("\(error)" == "port \(port) is in use")
        let page = try HTTPURL(validating: "https://pds.example.com/")
        let waiting = Task { try await agent.authorize(page, redirectURI: agent.redirectURI) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        await agent.close()
    }

    private actor Browser {
        private var address = ""
        private(set) var statuses: [Int] = []

        func use(_ address: String) { self.address = address }

        func follow(_ query: String) async {
            do {
                let url = try HTTPURL(validating: address + query)
                let transport = CurlTransport(
                    policy: NetworkPolicy(devNetwork: url.origin), userAgent: "test")
                statuses.append(try await transport.send(TransportRequest(method: .get, url: url)).status)
            } catch { Issue.record(error) }
        }
    }
}
