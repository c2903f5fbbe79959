import ATPNetworking
import ATProtoCurl
import ATProtoDNS
import ATProtoIdentity
import ATProtoSessions
import ATProtoVault
import Foundation
import JSON
import OAuth
import OAuthDPoP

/// Runs the examples of the articles: `bskyauth-guide FOLDER CERTIFICATES COMMAND [ARGUMENT]`. It keeps its accounts in a vault
/// in the folder, and writes a JSON object a line.
@main struct Guide {
    private let store: any SessionStore
    private let client: ATProtoClient
    private let transport: CurlTransport
    let certificates: String

    static func main() async {
        let words = Array(CommandLine.arguments.dropFirst()) + ["", "", "", ""]
        do {
            try await Guide(folder: words[0], certificates: words[1]).run(words[2], words[3])
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private init(folder: String, certificates: String) async throws {
        self.certificates = certificates
        transport = CurlTransport(
            policy: NetworkPolicy(), userAgent: "bskyauth-guide", certificates: certificates)
        store = try await Self.vault(in: folder)
        client = Self.client(store, transport)
    }

    private static func vault(in folder: String) async throws -> FileVault {
        let key = VaultKey.keyFile("\(folder)/vault.key")
        do {
            return try await FileVault.open(at: "\(folder)/vault", key: key)
        } catch {
            guard error.code == .missing else { throw error }
            return try await FileVault.create(at: "\(folder)/vault", key: key)
        }
    }

    private static func client(
        _ store: any SessionStore, _ transport: CurlTransport, runner: (any RotationRunner)? = nil
    ) -> ATProtoClient {
        ATProtoClient(
            as: .loopback(redirectURI: "http://127.0.0.1/callback"), store: store, transport: transport,
            identities: NetworkIdentities(transport: transport, textRecords: SystemTextRecords()),
            runner: runner)
    }

    private func run(_ command: String, _ argument: String) async throws {
        switch command {
        case "web": try await web(argument)
        case "device": try await device(argument)
        case "blob": try await blob(URL(filePath: argument))
        case "refresh": try await refresh()
        case "move": try await move()
        case "keys": try keys()
        case "shared": try await shared(argument)
        case "atprotokit": try await atprotokit(elsewhere: argument)
        default: throw CocoaError(.featureUnsupported)
        }
    }

    private struct Profile: Decodable, Sendable {
        let did: String
    }

    private func account() async throws -> Account {
        guard let account = try await client.accounts.first else { throw CocoaError(.fileNoSuchFile) }
        return account
    }

    // MARK: Logins

    /// Takes redirects until one of them ends the login.
    private func web(_ identifier: String) async throws {
        let waiting = MemoryStorage()
        let login = WebLogin(client: client, waiting: waiting)
        let (page, id) = try await login.begin(identifier)
        try write(line: ["page": page.description])
        while let redirect = readLine() {
            do {
                guard let account = try await login.complete(id, redirect: redirect) else { break }
                try write(line: ["did": account.did.description, "waiting": waiting.names().count])
                break
            } catch let failure as ATProtoFailure {
                try write(line: [
                    "foreign": failure.code == .foreignRedirect, "waiting": waiting.names().count,
                ])
            }
        }
    }

    private func device(_ identifier: String) async throws {
        let key = Chip(key: try DPoPKey())
        let (signer, storage) = (DeviceKey(publicKey: key.key.publicKey, device: key), MemoryStorage())
        let first = Self.client(sessions(in: storage, with: [signer]), transport)
        let account = try await logIn(identifier, at: first, with: signer, by: Person())
        let texts = storage.names().compactMap { storage.text($0) }
        try write(line: ["private": texts.contains { $0.contains("\"d\"") }])
        let restarted = Self.client(sessions(in: storage, with: [signer]), transport)
        let profile: Profile = try await restarted.agent(for: account.id).query(
            "com.atproto.server.getSession")
        try write(line: ["session": profile.did])
    }

    private func keys() throws {
        let key = try ClientKey()
        let identity = try confidential(keys: [key.privateKeyText()])
        try write(line: ["kid": identity.assertions.map(\.keyID), "document": try document(keys: [key])])
    }

    // MARK: Sessions

    private func blob(_ file: URL) async throws {
        let account = try await account()
        let calls = Calls(agent: client.agent(for: account.id))
        let blob = try await calls.upload(file, mediaType: "image/png")
        try write(line: ["size": blob.size, "type": blob.mimeType, "cid": blob.cid])
    }

    private func refresh() async throws {
        let account = try await account()
        let before = try await store.session(account.id).tokenFingerprint
        try await refreshAll(client)
        let after = try await store.session(account.id).tokenFingerprint
        let keeper = client
        let runner = LongLivedProcess { try await answer($0, with: keeper) }
        try await Self.client(store, transport, runner: runner).refresh(account.id)
        let last = try await store.session(account.id).tokenFingerprint
        try write(line: ["tokens": Set([before, after, last]).count])
    }

    private func move() async throws {
        let account = try await account()
        let there = Self.client(StoredSessions(MemoryStorage()), transport)
        let moved = try await moveSession(account.id, from: client, in: store, to: there)
        let profile: Profile = try await there.agent(for: moved.id).query("com.atproto.server.getSession")
        try write(line: ["left": try await client.accounts.count, "session": profile.did])
    }

    // MARK: ATProtoKit

    /// Calls as ATProtoKit does. `elsewhere` is a server that is not the account's.
    private func atprotokit(elsewhere: String) async throws {
        let account = try await account()
        let session = configuration(of: account, at: client, in: store, transport: transport)
        let calls = ATProtoKitCalls(session: session)
        let context = try await session.authorizationContext()
        try write(line: [
            "did": context?.sessionDID ?? "", "server": context?.serviceEndpoint.absoluteString ?? "",
            "scopes": context?.grantedScopes.sorted() ?? [],
        ])
        let stale = ["Authorization": "Bearer stale"]
        let profile = try await calls.query("com.atproto.server.getSession", [], .session, stale)
        try write(line: ["status": profile.status, "type": profile.contentType ?? "", "body": text(profile)])

        let record = """
            {"repo":"\(account.did)","collection":"app.bsky.feed.post","rkey":"one",\
            "record":{"$type":"app.bsky.feed.post","text":"a+b & c","createdAt":"2026-01-01T00:00:00Z"}}
            """
        let made = try await calls.procedure("com.atproto.repo.createRecord", Data(record.utf8), stale)
        let read = try await calls.query(
            "com.atproto.repo.getRecord",
            [("repo", "\(account.did)"), ("collection", "app.bsky.feed.post"), ("rkey", "one")])
        try write(line: ["made": made.status, "read": read.status, "record": text(read)])
        let blob = try await calls.procedure(
            "com.atproto.repo.uploadBlob", Data("hello".utf8), contentType: "image/png")
        let missing = try await calls.query(
            "com.atproto.repo.getRecord",
            [("repo", "\(account.did)"), ("collection", "app.bsky.feed.post"), ("rkey", "a+b & c/é")])
        try write(line: ["blob": blob.status, "missing": missing.status])

        let open = try await calls.query(
            "com.atproto.server.describeServer", [], at: elsewhere, .none, stale)
        try write(line: ["open": open.status])
        do {
            _ = try await calls.query("com.atproto.server.getSession", [], at: elsewhere)
            try write(line: ["refused": false])
        } catch let error as URLError {
            try write(line: ["refused": error.code == .userAuthenticationRequired])
        }
        try await session.removeSession()
        try write(line: ["left": try await client.accounts.count])
    }

    private func text(_ answer: ATProtoKitCalls.Answer) -> String {
        String(decoding: answer.body, as: UTF8.self)
    }
}

/// Stands for a security chip.
private struct Chip: Device {
    let key: DPoPKey

    func es256(_ message: [UInt8]) async throws -> [UInt8] { try await key.sign(message) }
}
