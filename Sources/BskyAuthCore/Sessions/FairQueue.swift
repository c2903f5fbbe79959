/// Whom a piece of work waits for: a server, and one that several of those have in common.
struct JobServers<Server: Hashable>: Hashable {
    var shared: Server?
    let own: Server
}

/// Work for several servers, of which some may be slow: while others have work waiting, none gets more than its
/// share of the places.
struct FairQueue<Server: Hashable, Work> {
    typealias Servers = JobServers<Server>

    /// The servers with work waiting, each in its turn.
    private var turns: [Servers] = []
    private var waiting: [Servers: ArraySlice<Work>] = [:]
    private var running: [Servers: Int] = [:]
    private var runningShared: [Server?: Int] = [:]
    private let places: Int

    /// - Parameter places: how much is done at once, at least 1.
    init(_ work: [Work], places: Int, servers: (Work) -> Servers) {
        self.places = max(1, places)
        for item in work {
            let servers = servers(item)
            if waiting[servers] == nil { turns.append(servers) }
            waiting[servers, default: []].append(item)
        }
    }

    /// The next piece of work that may start; nil until a place is given back.
    mutating func next() -> Work? {
        guard runningShared.values.reduce(0, +) < places else { return nil }
        var users: [Server?: Int] = [:]
        for servers in turns { users[servers.shared, default: 0] += 1 }
        // What the shares leave over goes to one more of some.
        guard let turn = turn(among: users, 0) ?? turn(among: users, 1) else { return nil }
        let servers = turns.remove(at: turn)
        let work = waiting[servers]?.popFirst()
        if waiting[servers]?.isEmpty == false { turns.append(servers) }
        running[servers, default: 0] += 1
        runningShared[servers.shared, default: 0] += 1
        return work
    }

    /// The first in turn who has not got their share yet. Of a shared server's places each of those that have it gets
    /// its share again.
    private func turn(among users: [Server?: Int], _ more: Int) -> Int? {
        let most = max(1, places / max(1, users.count)) + more
        return turns.firstIndex {
            runningShared[$0.shared, default: 0] < most
                && running[$0, default: 0] < max(1, most / (users[$0.shared] ?? 1)) + more
        }
    }

    /// Gives a place back.
    mutating func finish(_ servers: Servers) {
        running[servers, default: 1] -= 1
        runningShared[servers.shared, default: 1] -= 1
    }
}
