import Foundation
import NIOPosix
import Synchronization

@testable import SandboxNetwork

/// A static https host: nginx with a folder of files. curl resolves `app.localhost` by itself.
struct StaticHost: Sendable {
    let folder: URL
    let origin: String
    /// The authority of its certificate.
    let authority: String

    /// The client_id of a document here.
    func id(_ name: String = "client.json") -> String { origin + "/" + name }

    func write(_ document: JSONValue, to name: String = "client.json") throws {
        try Data(document.text.utf8).write(to: folder.appending(path: "files/" + name))
    }

    func remove(_ name: String = "client.json") throws {
        try FileManager.default.removeItem(at: folder.appending(path: "files/" + name))
    }

    private static let lastPort = Mutex(Int.random(in: 20_000..<30_000))

    /// A free port below those that the system chooses for others.
    static func freePort() async throws -> Int {
        while true {
            let port = lastPort.withLock { last in
                last = last == 31_999 ? 20_000 : last + 1
                return last
            }
            let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            guard let channel = try? await bootstrap.bind(host: "127.0.0.1", port: port).get() else {
                continue
            }
            try await channel.close()
            return port
        }
    }

    /// What is wrong at some paths: another type, a redirect, a status, no length, one byte a second.
    static let configuration = """
        daemon on;
        master_process off;
        pid nginx.pid;
        error_log stderr crit;
        events {}
        http {
            access_log off;
            client_body_temp_path tmp; proxy_temp_path tmp; fastcgi_temp_path tmp;
            uwsgi_temp_path tmp; scgi_temp_path tmp;
            types { application/json json; }
            ssl_certificate c.pem;
            ssl_certificate_key k.pem;
            root files;
            server {
                listen 127.0.0.1:PORT ssl;
                location = /html.json { types { text/html json; } }
                location = /moved.json { return 302 /moved/there.json; }
                location = /gone.json { error_page 410 /gone/page.json; return 410; }
                location = /chunked.json { ssi on; ssi_types *; }
                location = /slow.json { limit_rate 1; }
            }
        }
        """
}

/// Runs a static host for the length of `body`.
func withStaticHost(_ body: (StaticHost) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "static-\(UUID().uuidString)")
    for name in ["files/moved", "files/gone"] {
        try FileManager.default.createDirectory(
            at: folder.appending(path: name), withIntermediateDirectories: true)
    }
    let certificate = try await Certificate.make(for: "DNS:app.localhost", in: folder)
    let port = try await StaticHost.freePort()
    let text = StaticHost.configuration.replacing("PORT", with: String(port))
    try Data(text.utf8).write(to: folder.appending(path: "nginx.conf"))
    guard let nginx = await Nginx.start(in: folder) else {
        throw RunningSandbox.Unexpected(answer: "nginx did not start")
    }
    defer { nginx.stop() }
    try await body(
        StaticHost(folder: folder, origin: "https://app.localhost:\(port)", authority: certificate.file))
}

/// A sandbox that fetches documents from a static host, and a confidential client with the document there.
func withFetchedClient(
    _ profile: ServerProfile = .official,
    timeLimit: Duration = .seconds(60),
    _ body: @escaping @Sendable (ScriptedClient, StaticHost) async throws -> Void
) async throws {
    try await withStaticHost { host in
        try await withSandbox({ configuration in
            configuration.profile = profile
            configuration.clientDocuments = .init(authorities: host.authority, timeLimit: timeLimit)
        }) { sandbox in
            var client = ScriptedClient.confidential(sandbox)
            client.clientID = host.id()
            try host.publish(client)
            try await body(client, host)
        }
    }
}

extension StaticHost {
    /// Writes the document of a client with its key.
    func publish(_ client: ScriptedClient) throws {
        let keys = client.assertion.map { [(id: $0.keyID ?? "", key: $0.key)] } ?? []
        try write(HostedClient.document(id(), keys: keys))
    }
}
