import ATPNetworking
import ATProtoSessions
import ATProtoVault
import Foundation
import Logging
import OAuthDPoP
import Testing

@testable import BskyAuthCore

/// A move that is killed, with real processes.
@Suite("Moving an account, killed on the way") struct TransferCrashTests {
    @Test("leaves the session here or the bundle whole, at whatever instant", arguments: 0..<24)
    func killed(_ round: UInt32) async throws {
        let world = try World()
        let session = try World.session()
        let id = try await world.add(session)
        let directory = world.directory.path
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [directory = directory as String, id = id as UUID, round] in
            let process = try World(reopening: directory)
            Thread.detachNewThread {
                usleep(round * 250)
                kill(getpid(), SIGKILL)
            }
            _ = try await ExportFlow(process.environment.local).export(
                id, to: directory + "/bundle", for: .keyFile(path: directory + "/key"), keepsAccount: false,
                sharesKey: false,
                lockTimeout: .zero)
            // Moved before the blow fell: that is an instant as well.
            while true { pause() }
        }
        let accounts = try world.accounts.vault.accounts()
        if accounts.isEmpty {
            let bundle = try SealedBundle(
                reading: [UInt8](Data(contentsOf: URL(filePath: directory + "/bundle"))))
            let account = try bundle.open(with: .keyFile(path: directory + "/key"))
            #expect(account.session == session.record)
            #expect(try await ImportFlow(into: world.accounts, NetworkPolicy()).add(account).account.id == id)
        }
        #expect(try world.accounts.session(id).record == session.record)
        let lock = try await world.accounts.lock(id, timeout: .zero)
        #expect(try world.accounts.vault.intent(of: id, under: lock) == nil)
    }
}
