import ATPCryptography
import ATPNetworking
import ATProtoCurl
import BskyAuthEtcdRows
import BskyAuthRows
import BskyAuthTestPrograms
import Foundation
import Synchronization

/// One to three real etcd processes on loopback addresses of their own. They end with the last reference, or with the tests.
final class Etcd: Sendable {
    private struct Started {
        var processes: Set<Int32> = []
        var folders: Set<URL> = []
    }

    /// What is left when the tests end. Tests that share an etcd never release it.
    private static let started = Mutex(Started())
    private static let endsWithTests: Void = {
        atexit {
            Etcd.started.withLock { started in
                for process in started.processes { kill(process, SIGKILL) }
                for folder in started.folders { try? FileManager.default.removeItem(at: folder) }
            }
        }
    }()

    private struct Node: Sendable {
        let name: String
        let host: String
        let origin: Origin
        let process: Program.Running
    }

    private let nodes: [Node]
    private let folder: URL
    private let scheme: String
    private let certificates: String?

    /// Starts the nodes as one cluster.
    ///
    /// - Parameter tls: the certificate of the node, its key, and the authority that clients trust.
    init(
        nodes count: Int = 1, options: [String] = [], at host: String? = nil,
        tls: (certificate: String, key: String, authority: String)? = nil
    ) throws {
        Self.endsWithTests
        folder = URL.temporaryDirectory.appending(path: "etcd-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        scheme = tls == nil ? "http" : "https"
        certificates = tls?.authority
        // The whole of 127/8 is this machine, so nodes of other tests have other addresses.
        let names = (0..<count).map { number in
            (
                "node\(number)",
                host
                    ?? "127.\(UInt8.random(in: 64...250)).\(UInt8.random(in: 1...250)).\(UInt8.random(in: 1...250))"
            )
        }
        let members = names.map { "\($0)=http://\($1):2380" }.joined(separator: ",")
        let scheme = scheme
        let folder = folder
        nodes = try names.map { name, host in
            var arguments = [
                "--name", name, "--data-dir", folder.appending(path: name).path,
                "--listen-client-urls", "\(scheme)://\(host):2379",
                "--advertise-client-urls", "\(scheme)://\(host):2379",
                "--listen-peer-urls", "http://\(host):2380", "--initial-advertise-peer-urls",
                "http://\(host):2380",
                "--initial-cluster", members, "--initial-cluster-token", folder.lastPathComponent,
                "--log-level", "error", "--heartbeat-interval", "50", "--election-timeout", "500",
            ]
            if let tls { arguments += ["--cert-file", tls.certificate, "--key-file", tls.key] }
            return Node(
                name: name, host: host,
                origin: try HTTPURL(validating: "\(scheme)://\(host):2379").origin,
                process: try Program.Running(
                    "/usr/bin/etcd", arguments + options, environment: ["PATH": "/usr/bin:/bin"]))
        }
        let processes = nodes.map(\.process.processIdentifier)
        Self.started.withLock { started in
            started.processes.formUnion(processes)
            started.folders.insert(folder)
        }
    }

    deinit {
        let processes = Set(nodes.map(\.process.processIdentifier))
        Self.started.withLock { started in
            started.processes.subtract(processes)
            started.folders.remove(folder)
        }
        for process in processes { kill(process, SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Nodes that answer.
    static func ready(
        nodes count: Int = 1, options: [String] = [], at host: String? = nil,
        tls: (certificate: String, key: String, authority: String)? = nil
    ) async throws -> Etcd {
        let etcd = try Etcd(nodes: count, options: options, at: host, tls: tls)
        for node in etcd.nodes.indices {
            let rows = etcd.rows("ready", at: [node])
            while try await !isReady(rows) { try await Task.sleep(for: .milliseconds(20)) }
        }
        return etcd
    }

    private static func isReady(_ rows: EtcdRows) async throws -> Bool {
        do throws(RowStoreError) {
            _ = try await rows.get("ready")
            return true
        } catch {
            guard [.unreachable, .noLeader, .timedOut].contains(error.code) else { throw error }
            return false
        }
    }

    /// A client of some nodes; of all in their order, unless they are named.
    func rows(
        _ prefix: String = UUID().uuidString, at places: [Int]? = nil, as user: (String, String)? = nil,
        trusting authority: String? = nil, patience: Duration = .seconds(5),
        now: @escaping @Sendable () -> Date = { Date() }
    ) -> EtcdRows {
        let origins = (places ?? Array(nodes.indices)).map { nodes[$0].origin }
        let policy =
            scheme == "https"
            ? NetworkPolicy(allowsPrivateNetwork: true) : NetworkPolicy(devNetwork: origins.first)
        return EtcdRows(
            EtcdCluster(
                nodes: origins, prefix: prefix,
                credentials: user.map {
                    EtcdCluster.Credentials(user: $0.0, password: SecretBytes(Array($0.1.utf8)))
                }, patience: patience),
            transport: CurlTransport(
                policy: policy, userAgent: "test", certificates: authority ?? certificates),
            now: now)
    }

    func signal(_ number: Int32, _ node: Int = 0) { kill(nodes[node].process.processIdentifier, number) }

    /// Stops a node, and waits until none of its threads runs: they stop one after the other.
    func stop(_ node: Int = 0) async throws {
        signal(SIGSTOP, node)
        let threads = "/proc/\(nodes[node].process.processIdentifier)/task"
        while try FileManager.default.contentsOfDirectory(atPath: threads).contains(where: { thread in
            let text = try String(contentsOfFile: "\(threads)/\(thread)/stat", encoding: .utf8)
            // proc_pid_stat(5): the state comes after the name, which is in parentheses.
            return text.suffix(from: text.lastIndex(of: ")") ?? text.startIndex).dropFirst(2).first != "T"
        }) { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Ends a node at once, and waits for its end.
    func kill9(_ node: Int) async throws {
        signal(SIGKILL, node)
        _ = try await nodes[node].process.result()
    }

    /// Runs etcdctl at the first node.
    @discardableResult
    func control(_ arguments: String, as user: String? = nil) async throws -> String {
        let result = try await Program.run(
            "/usr/bin/etcdctl",
            ["--endpoints", "\(nodes[0].host):2379"] + (user.map { ["--user", $0] } ?? [])
                + arguments.split(separator: " ").map(String.init),
            environment: ["PATH": "/usr/bin:/bin", "ETCDCTL_API": "3"])
        guard result.status == 0 else { throw Failed(description: "etcdctl \(arguments): \(result.errors)") }
        return result.text
    }

    struct Failed: Error, CustomStringConvertible {
        let description: String
    }
}
