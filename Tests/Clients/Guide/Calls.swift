import ATPNetworking
import ATProtoSessions
import ATProtoXRPC
import Foundation

/// Calls of an agent.
struct Calls: Sendable {
    let agent: Agent

    struct Notification: Decodable, Sendable {
        let uri: String
    }

    struct Notifications: Decodable, Sendable {
        let notifications: [Notification]
    }

    struct Conversations: Decodable, Sendable {
        struct Conversation: Decodable, Sendable { let id: String }
        let convos: [Conversation]
    }

    func notifications() async throws -> [String] {
        var uris: [String] = []
        let pages = agent.pages(
            "app.bsky.notification.listNotifications", ["limit": 100], as: Notifications.self)
        for try await page in pages {
            uris += page.notifications.map(\.uri)
        }
        return uris
    }

    func seen() async throws {
        try await agent.procedure(
            "app.bsky.notification.updateSeen", input: ["seenAt": "2026-01-01T00:00:00Z"])
    }

    func conversations() async throws -> Conversations {
        try await agent.proxied(to: "did:web:api.bsky.chat#bsky_chat").query("chat.bsky.convo.listConvos")
    }

    func labeled() throws -> Agent {
        try agent.accepting(labelers: ["did:plc:ar7c4by46qjdydhdevvrndac;redact"])
    }

    /// Uploads a file without reading it into memory.
    func upload(_ file: URL, mediaType: String) async throws -> Blob {
        try await agent.uploadBlob(.stream(FileBody(file: file)), mediaType: mediaType)
    }

    /// Downloads a blob of somebody's repository into a file, piece by piece.
    func download(_ cid: String, of did: String, to file: FileHandle) async throws {
        let response = try await agent.send(
            .query, "com.atproto.sync.getBlob", parameters: ["did": .init(did), "cid": .init(cid)])
        guard response.status == 200 else { throw CocoaError(.fileReadUnknown) }
        for try await piece in response.body {
            try file.write(contentsOf: piece)
        }
    }
}

/// A file as the body of a request. It is opened again if the request is sent again.
struct FileBody: RequestBodySource {
    let file: URL

    var length: Int64? {
        try? file.resourceValues(forKeys: [.fileSizeKey]).fileSize.map(Int64.init)
    }

    func open(wake: @escaping @Sendable () -> Void) throws -> any RequestBodyReader {
        Reader(handle: try FileHandle(forReadingFrom: file))
    }

    private struct Reader: RequestBodyReader {
        let handle: FileHandle

        func read(upTo count: Int, into room: inout MutableRawSpan) throws -> Int? {
            let bytes = try handle.read(upToCount: count) ?? Data()
            room.withUnsafeMutableBytes { $0.copyBytes(from: bytes) }
            return bytes.count
        }
    }
}
