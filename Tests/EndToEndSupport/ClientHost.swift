internal import BskyAuthTestPrograms
package import Foundation

/// A static https host for the files of a client: nginx, with a certificate that an authority of its own made. Programs
/// that use libcurl find `client.localhost` by themselves.
package final class ClientHost: Sendable {
    /// What is wrong with the document.
    package enum Fault: String, Sendable, CaseIterable {
        case missing, html, redirect, tooLong, slow, withoutKey
    }

    private static let nginx = "/usr/sbin/nginx"

    package static var isPossible: Bool { FileManager.default.isExecutableFile(atPath: nginx) }

    /// The URL of the directory.
    package let url: String
    private let folder: URL

    package init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "bskyauth-host-\(UUID().uuidString)")
        for name in ["site", "faults"] {
            try FileManager.default.createDirectory(
                at: folder.appending(path: name), withIntermediateDirectories: true)
        }
        try Data("<p>Not found".utf8).write(to: folder.appending(path: "site/page.html"))
        try await Self.run(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                "2",
                "-subj", "/CN=client.localhost", "-addext", "subjectAltName=DNS:client.localhost", "-keyout",
                folder.path + "/key.pem", "-out", folder.path + "/ca.pem",
            ])
        url = "https://client.localhost:\(try await Self.start(in: folder))/"
    }

    deinit {
        let number = try? String(contentsOf: folder.appending(path: "pid"), encoding: .utf8)
        if let process = number.flatMap({ Int32($0.prefix { $0.isNumber }) }) { kill(process, SIGTERM) }
        try? FileManager.default.removeItem(at: folder)
    }

    /// The certificate of the host, to be trusted.
    package var authority: String { folder.path + "/ca.pem" }

    /// Starts nginx at a port that nothing listens on.
    private static func start(in folder: URL) async throws -> Int {
        while true {
            let port = Int.random(in: 20_000..<30_000)
            let text = configuration(folder.path, port: port)
            try Data(text.utf8).write(to: folder.appending(path: "nginx.conf"))
            let started = try await Program.run(
                nginx, ["-p", folder.path, "-c", folder.path + "/nginx.conf"], environment: [:])
            if started.status == 0 { return port }
            guard started.errors.contains("Address already in use") else {
                throw NotStarted(words: started.errors)
            }
        }
    }

    private struct NotStarted: Error {
        let words: String
    }

    private static func run(_ program: String, _ arguments: [String]) async throws {
        let result = try await Program.run(program, arguments, environment: [:])
        guard result.status == 0 else { throw NotStarted(words: result.errors) }
    }

    /// A file in `faults` makes its fault, at the next request.
    private static func configuration(_ folder: String, port: Int) -> String {
        """
        pid \(folder)/pid;
        error_log \(folder)/errors;
        events {}
        http {
            types { application/json json; text/html html; }
            access_log \(folder)/log;
            client_body_temp_path \(folder)/tmp; proxy_temp_path \(folder)/tmp; fastcgi_temp_path \(folder)/tmp;
            uwsgi_temp_path \(folder)/tmp; scgi_temp_path \(folder)/tmp;
            server {
                listen 127.0.0.1:\(port) ssl;
                ssl_certificate \(folder)/ca.pem;
                ssl_certificate_key \(folder)/key.pem;
                root \(folder)/site;
                location = /oauth-client-metadata.json {
                    if (-f \(folder)/faults/missing) { return 404; }
                    if (-f \(folder)/faults/redirect) { return 302 /moved.json; }
                    if (-f \(folder)/faults/html) { rewrite ^ /page.html last; }
                    if (-f \(folder)/faults/tooLong) { rewrite ^ /long.json last; }
                    if (-f \(folder)/faults/withoutKey) { rewrite ^ /other.json last; }
                    if (-f \(folder)/faults/slow) { set $limit_rate 1; }
                }
            }
        }
        """
    }

    /// Publishes the files of a directory.
    package func publish(_ directory: URL) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) {
            let target = folder.appending(path: "site/\(name)")
            if FileManager.default.fileExists(atPath: target.path) {
                try FileManager.default.removeItem(at: target)
            }
            try FileManager.default.copyItem(at: directory.appending(path: name), to: target)
        }
    }

    /// Makes one fault, or none. `other` is the document that is served without the key.
    package func set(_ fault: Fault?, other: String = "") throws {
        for each in Fault.allCases {
            let file = folder.appending(path: "faults/\(each.rawValue)")
            if FileManager.default.fileExists(atPath: file.path) {
                try FileManager.default.removeItem(at: file)
            }
        }
        guard let fault else { return }
        let long = #"{"x":"\#(String(repeating: "x", count: 600_000))"}"#
        try Data(long.utf8).write(to: folder.appending(path: "site/long.json"))
        try Data(other.utf8).write(to: folder.appending(path: "site/other.json"))
        try Data().write(to: folder.appending(path: "faults/\(fault.rawValue)"))
    }

    /// What the host noted of the requests.
    package var log: String {
        get throws { try String(contentsOf: folder.appending(path: "log"), encoding: .utf8) }
    }
}
