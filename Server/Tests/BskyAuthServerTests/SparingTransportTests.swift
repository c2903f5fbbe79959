import ATPNetworking
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import BskyAuthServer

@Suite struct SparingTransportTests {
    @Test("a few tasks have a place, and the others follow in turn")
    func turns() async {
        let places = Places<String>(most: 2)
        let entered = Entered()
        #expect(await places.take("a"))
        #expect(await places.take("a"))
        #expect(await places.take("b"))
        await withTaskGroup(of: Void.self) { group in
            for number in 1...3 {
                group.addTask {
                    guard await places.take("a") else { return }
                    entered.numbers.withLock { $0.append(number) }
                }
                while places.waiting(for: "a") < number { await Task.yield() }
            }
            #expect(entered.numbers.withLock(\.self).isEmpty)
            for number in 1...3 {
                places.giveBack("a")
                while entered.numbers.withLock(\.count) < number { await Task.yield() }
                #expect(places.waiting(for: "a") == 3 - number)
            }
        }
        #expect(entered.numbers.withLock(\.self) == [1, 2, 3])
    }

    @Test("a task that is cancelled leaves the line, and its place is not lost")
    func cancellation() async {
        let places = Places<String>(most: 1)
        #expect(await places.take("a"))
        let waiting = Task { await places.take("a") }
        while places.waiting(for: "a") < 1 { await Task.yield() }
        waiting.cancel()
        #expect(await waiting.value == false)
        #expect(places.waiting(for: "a") == 0)
        places.giveBack("a")
        #expect(await places.take("a"))
        let late = Task { () -> Bool in
            while !Task.isCancelled { await Task.yield() }
            return await places.take("b")
        }
        late.cancel()
        #expect(await late.value == false)
    }

    @Test("a server that could not be reached gets nothing for a minute, and others do")
    func failures() async throws {
        let world = World()
        let transport = SparingTransport(world) { Date(timeIntervalSince1970: world.time.withLock(\.self)) }
        let url = try HTTPURL(validating: "https://one.example/x?y")
        for _ in 1...3 {
            let error = await #expect(throws: TransportError.self) {
                _ = try await transport.send(TransportRequest(method: .get, url: url))
            }
            #expect(error?.code == .notConnected)
        }
        #expect(world.asked.withLock(\.self) == ["https://one.example"])
        _ = try? await transport.send(
            TransportRequest(method: .get, url: try HTTPURL(validating: "https://two.example/")))
        #expect(world.asked.withLock(\.count) == 2)
        world.time.withLock { $0 += 60 }
        _ = try? await transport.send(TransportRequest(method: .get, url: url))
        #expect(world.asked.withLock(\.count) == 3)
    }

    @Test("a request that was cancelled says nothing about its server")
    func cancelledRequests() async throws {
        let world = World(failing: .cancelled)
        let transport = SparingTransport(world) { Date() }
        let url = try HTTPURL(validating: "https://one.example/")
        for _ in 1...2 { _ = try? await transport.send(TransportRequest(method: .get, url: url)) }
        #expect(world.asked.withLock(\.count) == 2)
    }
}

/// The tasks that had a place.
private final class Entered: Sendable {
    let numbers = Mutex<[Int]>([])
}

/// A network in which every request fails.
private final class World: HTTPTransport {
    let asked = Mutex<[String]>([])
    let time = Mutex<Double>(1_800_000_000)
    private let code: TransportError.Code

    init(failing code: TransportError.Code = .notConnected) { self.code = code }

    func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
        asked.withLock { $0.append(request.url.origin.description) }
        throw TransportError(code, requestWasSent: false)
    }
}
