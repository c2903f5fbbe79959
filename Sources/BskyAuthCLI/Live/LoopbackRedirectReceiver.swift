internal import BskyAuthCore
internal import BskyAuthLoopback

/// The redirect listener of the core, on SwiftNIO.
struct LoopbackRedirectReceiver: RedirectReceiver {
    func listen(
        ports: ClosedRange<Int>?, path: String,
        answer: @escaping @Sendable (String) async -> RedirectReceipt
    ) async throws -> any RedirectListener {
        do {
            return Listener(
                server: try await LoopbackServer.bind(ports: ports, path: path) { request in
                    CallbackPage(await answer(request.query)).reply
                })
        } catch let error {
            throw CoreError.listener(Self.reason(error))
        }
    }

    private static func reason(_ error: LoopbackServerError) -> String {
        switch error {
        case .portBusy(let ports):
            ports.count == 1 ? "port \(ports.lowerBound) is in use" : "every port in the range is in use"
        case .cannotBind(let errno): errno.map { "error \($0)" } ?? "the system refuses"
        case .socketBusy: "the socket is in use"
        }
    }

    private struct Listener: RedirectListener {
        let server: LoopbackServer

        var port: Int { server.port }

        func close() async {
            await server.shutdown()
        }
    }
}
