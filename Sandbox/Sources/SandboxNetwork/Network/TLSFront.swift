import Foundation
import HummingbirdCore
import NIOCore
import NIOPosix
import Subprocess
import SystemPackage

/// nginx in front of the sandbox. It serves https on the public ports and passes each request on through a socket file.
struct TLSFront {
    /// nginx could not be started. Its own message is on stderr.
    struct NotStarted: Error, CustomStringConvertible {
        var description: String { "--tls-cert needs nginx (Debian: nginx-light), and it did not start" }
    }

    /// The public port of each listener.
    let ports: [Int]
    private let directory: URL
    private let nginx: Nginx

    /// Where the sandbox listens, in place of a port.
    func address(_ index: Int) -> BindAddress {
        .unixDomainSocket(path: directory.appending(path: "\(index).sock").path())
    }

    /// Returns when nginx accepts connections. A port of 0 becomes a free one.
    static func start(
        _ files: SandboxConfiguration.TLSFiles,
        host: String,
        ports: [Int]
    ) async throws -> TLSFront {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "bskyauth-sandbox-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        for (name, file) in [("certificate.pem", files.certificate), ("key.pem", files.key)] {
            try FileManager.default.createSymbolicLink(
                at: directory.appending(path: name), withDestinationURL: URL(filePath: file).absoluteURL)
        }
        var chosen: [Int] = []
        for port in ports { chosen.append(port == 0 ? try await freePort(host) : port) }
        let text = configuration(host: host, ports: chosen)
        try Data(text.utf8).write(to: directory.appending(path: "nginx.conf"))
        guard let nginx = await Nginx.start(in: directory) else { throw NotStarted() }
        return TLSFront(ports: chosen, directory: directory, nginx: nginx)
    }

    func stop() {
        nginx.stop()
    }

    /// Requests and answers are passed on as they come, with the `Host` and `Date` of the two ends. nginx answers
    /// 502 where the sandbox drops a connection. Code 444 of nginx drops the client's connection instead.
    private static func configuration(host: String, ports: [Int]) -> String {
        let urlHost = SandboxConfiguration.urlHost(host)
        let servers = ports.enumerated().map { index, port in
            "server { listen \(urlHost):\(port) ssl; location / { proxy_pass http://unix:\(index).sock; } "
                + "error_page 502 = @dropped; location @dropped { return 444; } }"
        }
        return """
            daemon on;
            master_process off;
            pid nginx.pid;
            error_log stderr crit;
            events {}
            http {
                access_log off;
                client_body_temp_path body;
                proxy_temp_path body;
                fastcgi_temp_path body;
                uwsgi_temp_path body;
                scgi_temp_path body;
                ssl_certificate certificate.pem;
                ssl_certificate_key key.pem;
                ssl_protocols TLSv1.2 TLSv1.3;
                client_max_body_size 0;
                keepalive_timeout 1h;
                keepalive_requests 1000000;
                proxy_http_version 1.1;
                proxy_buffering off;
                proxy_request_buffering off;
                proxy_read_timeout 1d;
                proxy_set_header Host $http_host;
                proxy_pass_header Date;
                \(servers.joined(separator: "\n    "))
            }
            """
    }

    private static func freePort(_ host: String) async throws -> Int {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: host, port: 0).get()
        let port = channel.localAddress?.port ?? 0
        try await channel.close()
        return port
    }
}

/// nginx in the background, with a folder of its own.
struct Nginx {
    /// nginx goes to the background once it listens. The shell stays beside it, and ends it when the shell's standard
    /// input is closed: by ``stop()``, or because this process ends in any way.
    private static let script = """
        if PATH="$PATH:/usr/sbin" nginx -p ./ -c nginx.conf </dev/null; then
            echo listening
            read -r _
            kill "$(cat nginx.pid)"
        fi
        rm -rf "$PWD"
        """

    private let lifeline: AsyncStream<Void>.Continuation

    /// Starts nginx with `nginx.conf` of a folder, which is removed when nginx ends.
    ///
    /// - Returns: nginx once it listens; nil when it could not start. Its own message is on stderr.
    static func start(in directory: URL) async -> Nginx? {
        let (held, lifeline) = AsyncStream.makeStream(of: Void.self)
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        Task {
            defer { answer.finish() }
            _ = try await run(
                .path("/bin/sh"), arguments: ["-c", script], workingDirectory: FilePath(directory.path()),
                input: .inputWriter, output: .sequence, error: .currentStandardError
            ) { shell in
                for try await _ in shell.standardOutput {
                    answer.yield(true)
                    for await _ in held {}
                    break
                }
            }
        }
        for await isListening in answers where isListening { return Nginx(lifeline: lifeline) }
        return nil
    }

    func stop() {
        lifeline.finish()
    }
}
