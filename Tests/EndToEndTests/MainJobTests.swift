import EndToEndSupport
import Foundation
import Testing

@Suite("The main job")
struct MainJobTests {
    @Test("logs in through the pages, calls, and logs out")
    func mainJob() async throws {
        let home = try Home(try Sandbox())
        let login = try await home.run("login", "alice.test", "--json")
        #expect(login.status == 0, "\(login.errors)")
        let call = try await home.run("call", "com.atproto.server.getSession")
        #expect(call.json?["handle"] as? String == "alice.test")
        let logout = try await home.run("logout")
        #expect(logout.status == 0)
        let accounts = try await home.run("accounts", "--json")
        #expect((accounts.json?["accounts"] as? [Any])?.isEmpty == true)
    }
}
