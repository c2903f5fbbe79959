import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import HTTPTypes
import Testing

@testable import BskyAuthCLI

private let nginx = "/usr/sbin/nginx"

extension EndToEnd {
    @Suite(
        "A client's site at a static host",
        .enabled(if: ServerProfile.current == .official, "no server is asked"),
        .enabled(if: FileManager.default.isExecutableFile(atPath: nginx), "nginx is not there"))
    final class StaticSiteTests {
        private let folder = FileManager.default.temporaryDirectory.appending(
            path: "bskyauth-site-\(UUID().uuidString)")

        deinit {
            try? FileManager.default.removeItem(at: folder)
        }

        @Test("nginx sends every header with the relay page, and none of them with another page")
        func nginxHeaders() async throws {
            let site = try #require(StaticSite(base: "https://localhost/at/"))
            try write(site.files, below: "site/at")
            try write(["nginx.conf": configuration], below: "")
            try await host([])
            let answers = await (try? get("/at/callback.html"), try? get("/at/"))
            try await host(["-s", "quit"])
            let (page, index) = (try #require(answers.0), try #require(answers.1))
            #expect(page.body == RelayPage.html)
            #expect(StaticSite.missingHeaders(in: page.fields) == [])
            #expect(page.fields[.contentType] == "text/html")
            #expect(index.body == IndexPage.html)
            #expect(StaticSite.missingHeaders(in: index.fields) == StaticSite.headers.map(\.name))
        }

        private var configuration: String {
            """
            pid \(folder.path)/pid;
            error_log \(folder.path)/errors;
            events {}
            http {
                types { text/html html; }
                access_log off;
                server {
                    listen unix:\(folder.path)/socket;
                    root \(folder.path)/site;
                    include \(folder.path)/site/at/headers/nginx.conf;
                }
            }
            """
        }

        private func write(_ files: [String: String], below path: String) throws {
            for (name, text) in files {
                let file = folder.appending(path: path).appending(path: name)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try text.write(to: file, atomically: true, encoding: .utf8)
            }
        }

        /// Runs nginx. It returns when the host listens, and goes on in the background.
        private func host(_ arguments: [String]) async throws {
            let configuration = folder.appending(path: "nginx.conf").path
            let result = try await Program.run(
                nginx, ["-p", folder.path, "-c", configuration] + arguments, environment: [:])
            #expect(result.status == 0, "\(result.errors)")
        }

        private func get(_ path: String) async throws -> (fields: HTTPFields, body: String) {
            let answer = try await Program.run(
                "/usr/bin/curl",
                ["-qsi", "--unix-socket", "\(folder.path)/socket", "http://localhost\(path)"],
                environment: [:])
            let parts = answer.text.components(separatedBy: "\r\n\r\n")
            var fields: HTTPFields = [:]
            for line in parts[0].components(separatedBy: "\r\n").dropFirst() {
                let pair = line.split(separator: ":", maxSplits: 1)
                let name = try #require(HTTPField.Name(String(pair[0])))
                fields.append(HTTPField(name: name, value: pair[1].trimmingCharacters(in: .whitespaces)))
            }
            return (fields, parts.dropFirst().joined(separator: "\r\n\r\n"))
        }
    }
}
