import ATPNetworking
import ATProtoBackendClient
import ATProtoSessions
import ATProtoURLSession
import Foundation
import HTTPTypes
import JSON
import Platform

/// A mobile app that logs in through bskyauth-server: `bskyauth-backend-app FOLDER SERVER COMMAND [ARGUMENT]`. Each run is a new
/// start of the app. It keeps its session in the folder, and writes a JSON object a line.
@main struct BackendApp {
    private let phone: Phone

    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst()) + ["", "", "", ""]
        do {
            try await BackendApp(folder: words[0], server: words[1]).run(words[2], words[3])
        } catch let failure as ATProtoFailure {
            fail(failure)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    /// Says what the app would do after a failure.
    private static func fail(_ failure: ATProtoFailure) {
        let step = NextStep(after: failure)
        let line: [String: Any] = [
            "failure": "\(step)", "error": failure.error ?? "", "words": failure.description,
        ]
        do { try write(line: line) } catch { exit(2) }
        exit(1)
    }

    private init(folder: String, server: String) throws {
        let policy = NetworkPolicy(devNetwork: try HTTPURL(validating: server).origin)
        phone = try Phone(
            server: server, storage: FolderStorage(folder),
            transport: URLSessionTransport(policy: policy, userAgent: "bskyauth-backend-app"))
    }

    private func run(_ command: String, _ argument: String) async throws {
        switch command {
        case "start": try write(line: ["page": try await phone.open(argument).description])
        case "redirect":
            let session = try await phone.arrive(argument)
            try write(line: session.map(facts) ?? ["waiting": true])
        case "session": try write(line: try await phone.client.session.map(facts) ?? [:])
        case "call": try await call()
        case "post": try write(line: ["uri": try await phone.post(argument)])
        case "xrpc":
            let profile = try await phone.profile()
            try write(line: ["did": profile.did, "handle": profile.handle])
        case "refresh": try await refresh()
        case "accounts": try await accounts()
        case "activate": try write(line: facts(try await phone.client.activate(id(argument))))
        case "logout":
            let account = argument.isEmpty ? nil : try id(argument)
            try write(line: try await phone.client.logOut(account).map(facts) ?? [:])
        case "logout-all": try write(line: ["told": try await phone.client.logOutAll()])
        case "logout-everywhere":
            try write(line: try await phone.client.logOutEverywhere().map(facts) ?? [:])
        default: throw CocoaError(.featureUnsupported)
        }
    }

    private func id(_ text: String) throws -> UUID {
        guard let id = UUID(uuidString: text) else { throw CocoaError(.formatting) }
        return id
    }

    private func facts(_ session: BackendSession) -> [String: Any] {
        [
            "did": session.did?.description ?? "", "handle": session.handle?.description ?? "",
            "account": session.account?.uuidString ?? "", "shown": "\(session)",
        ]
    }

    /// Asks the backend whose session it is.
    private func call() async throws {
        let answer = try await phone.client.send(.get, "/api/auth/session?app=ios")
        let body = try await answer.body.collect(upTo: 1 << 20)
        try write(line: ["status": answer.status, "body": String(decoding: body, as: UTF8.self)])
    }

    /// Refreshes in 50 tasks at once.
    private func refresh() async throws {
        let client = phone.client
        let tokens = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { try await client.refresh().token } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        try write(line: ["tokens": tokens.count])
    }

    private func accounts() async throws {
        for account in try await phone.client.accounts() {
            try write(line: [
                "account": account.id.uuidString, "did": account.did.description,
                "handle": account.handle?.description ?? "", "active": account.isActive,
            ])
        }
    }
}
