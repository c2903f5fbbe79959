internal import ATPCryptography
internal import ATPNetworking
internal import ATProtoCurl
package import BskyAuthEtcdRows
internal import BskyAuthRows
internal import BskyAuthTestPrograms
package import Foundation
internal import Synchronization

/// One to three real etcd processes on loopback addresses of their own. They end with the last reference, or with the tests.
package final class Etcd: Sendable {
    private struct Started {
        var nodes: [ObjectIdentifier: Program.Running] = [:]
        var folders: Set<URL> = []
    }

    /// What is left when the tests end. Tests that share an etcd never release it.
    private static let started = Mutex(Started())
    private static let endsWithTests: Void = {
        atexit {
            Etcd.started.withLock { started in
                for node in started.nodes.values { node.signal(SIGKILL) }
                for folder in started.folders { try? FileManager.default.removeItem(at: folder) }
            }
        }
    }()

    private struct Node: Sendable {
        let host: String
        let origin: Origin
        let arguments: [String]
    }

    private let nodes: [Node]
    private let processes: Mutex<[Program.Running]>
    private let folder: URL
    private let scheme: String
    private let certificates: String?

    /// Starts the nodes as one cluster.
    ///
    /// - Parameter tls: the certificate of the node, its key, and the authority that clients trust.
    package init(
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
                host: host, origin: try HTTPURL(validating: "\(scheme)://\(host):2379").origin,
                arguments: arguments + options)
        }
        processes = Mutex(try nodes.map { try Self.start($0) })
        Self.started.withLock { _ = $0.folders.insert(folder) }
    }

    private static func start(_ node: Node) throws -> Program.Running {
        let process = try Program.Running(
            "/usr/bin/etcd", node.arguments, environment: ["PATH": "/usr/bin:/bin"])
        started.withLock { $0.nodes[ObjectIdentifier(process)] = process }
        return process
    }

    deinit {
        let processes = processes.withLock { $0 }
        Self.started.withLock { started in
            for process in processes { started.nodes[ObjectIdentifier(process)] = nil }
            started.folders.remove(folder)
        }
        for process in processes { process.signal(SIGKILL) }
        try? FileManager.default.removeItem(at: folder)
    }

    /// Nodes that answer.
    package static func ready(
        nodes count: Int = 1, options: [String] = [], at host: String? = nil,
        tls: (certificate: String, key: String, authority: String)? = nil
    ) async throws -> Etcd {
        let etcd = try Etcd(nodes: count, options: options, at: host, tls: tls)
        for node in etcd.nodes.indices { try await etcd.waitUntilReady(node) }
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
    package func rows(
        _ prefix: String = UUID().uuidString, at places: [Int]? = nil, as user: (String, String)? = nil,
        trusting authority: String? = nil, timeLimit: Duration = .seconds(30),
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
                }, timeLimit: timeLimit),
            transport: CurlTransport(
                policy: policy, userAgent: "test", certificates: authority ?? certificates),
            now: now)
    }

    /// The URL of the nodes, for the program.
    package func url(_ prefix: String, user: String? = nil) -> String {
        "etcd+http://\(user.map { "\($0)@" } ?? "")\(nodes.map { "\($0.host):2379" }.joined(separator: ","))/\(prefix)"
    }

    private func process(_ node: Int) -> Program.Running { processes.withLock { $0[node] } }

    package func signal(_ number: Int32, _ node: Int = 0) { process(node).signal(number) }

    /// Stops a node, and waits until none of its threads runs: they stop one after the other.
    package func stop(_ node: Int = 0) async throws {
        signal(SIGSTOP, node)
        let threads = "/proc/\(process(node).processIdentifier)/task"
        while try FileManager.default.contentsOfDirectory(atPath: threads).contains(where: { thread in
            let text = try String(contentsOfFile: "\(threads)/\(thread)/stat", encoding: .utf8)
            // proc_pid_stat(5): the state comes after the name, which is in parentheses.
            return text.suffix(from: text.lastIndex(of: ")") ?? text.startIndex).dropFirst(2).first != "T"
        }) { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Ends a node at once, and waits for its end.
    package func kill9(_ node: Int = 0) async throws {
        signal(SIGKILL, node)
        _ = try await process(node).result()
    }

    /// Starts a node again that was killed, with what is on its disk, and waits until it answers.
    package func restart(_ node: Int = 0) async throws {
        let process = try Self.start(nodes[node])
        let earlier = processes.withLock { processes in
            defer { processes[node] = process }
            return processes[node]
        }
        Self.started.withLock { $0.nodes[ObjectIdentifier(earlier)] = nil }
        try await waitUntilReady(node)
    }

    /// Keeps what is on the disk of a single node.
    package func backUp() async throws {
        try await kill9()
        try FileManager.default.copyItem(
            at: folder.appending(path: "node0"), to: folder.appending(path: "backup"))
        try await restart()
    }

    /// Goes back to what ``backUp()`` has kept.
    package func goBack() async throws {
        try await kill9()
        try FileManager.default.removeItem(at: folder.appending(path: "node0"))
        try FileManager.default.moveItem(
            at: folder.appending(path: "backup"), to: folder.appending(path: "node0"))
        try await restart()
    }

    private func waitUntilReady(_ node: Int) async throws {
        let rows = rows("ready", at: [node])
        while try await !Self.isReady(rows) { try await Task.sleep(for: .milliseconds(20)) }
    }

    /// How long etcdctl waits for a connection with a login, and for an answer. Its own two and five seconds pass on a busy machine.
    package static let timeout = "60s"

    /// Runs etcdctl at the first node.
    @discardableResult
    package func control(_ arguments: String, as user: String? = nil) async throws -> String {
        let result = try await Program.run(
            "/usr/bin/etcdctl",
            [
                "--endpoints", "\(nodes[0].host):2379", "--dial-timeout", Self.timeout, "--command-timeout",
                Self.timeout,
            ]
                + (user.map { ["--user", $0] } ?? [])
                + arguments.split(separator: " ").map(String.init),
            environment: ["PATH": "/usr/bin:/bin", "ETCDCTL_API": "3"])
        guard result.status == 0 else { throw Failed(description: "etcdctl \(arguments): \(result.errors)") }
        return result.text
    }

    package struct Failed: Error, CustomStringConvertible {
        package let description: String
    }
}
