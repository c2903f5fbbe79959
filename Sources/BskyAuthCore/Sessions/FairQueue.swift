/// The servers that a job waits for: its own server, and a server that several of these share.
struct JobServers<Server: Hashable>: Hashable {
    var shared: Server?
    let own: Server
}

/// Jobs for several servers. Some servers may be slow. While other servers have jobs waiting, no server gets more than
/// its share of the places.
struct FairQueue<Server: Hashable, Work> {
    typealias Servers = JobServers<Server>

    /// The servers with waiting jobs, in the order of their turns.
    private var turns: [Servers] = []
    private var waiting: [Servers: ArraySlice<Work>] = [:]
    private var running: [Servers: Int] = [:]
    private var runningShared: [Server?: Int] = [:]
    private let places: Int

    /// - Parameter places: the number of jobs at once, at least 1.
    init(_ work: [Work], places: Int, servers: (Work) -> Servers) {
        self.places = max(1, places)
        for item in work {
            let servers = servers(item)
            if waiting[servers] == nil { turns.append(servers) }
            waiting[servers, default: []].append(item)
        }
    }

    /// The next job that may start; nil until a place is free.
    mutating func next() -> Work? {
        guard runningShared.values.reduce(0, +) < places else { return nil }
        var users: [Server?: Int] = [:]
        for servers in turns { users[servers.shared, default: 0] += 1 }
        // Places that the equal shares leave over go to some servers, one each.
        guard let turn = turn(among: users, 0) ?? turn(among: users, 1) else { return nil }
        let servers = turns.remove(at: turn)
        let work = waiting[servers]?.popFirst()
        if waiting[servers]?.isEmpty == false { turns.append(servers) }
        running[servers, default: 0] += 1
        runningShared[servers.shared, default: 0] += 1
        return work
    }

    /// The first server in turn that has less than its share. The places of a shared server are again shared equally
    /// among its servers.
    private func turn(among users: [Server?: Int], _ more: Int) -> Int? {
        let most = max(1, places / max(1, users.count)) + more
        return turns.firstIndex {
            runningShared[$0.shared, default: 0] < most
                && running[$0, default: 0] < max(1, most / (users[$0.shared] ?? 1)) + more
        }
    }

    /// Frees the place of a finished job.
    mutating func finish(_ servers: Servers) {
        running[servers, default: 1] -= 1
        runningShared[servers.shared, default: 1] -= 1
    }
}
