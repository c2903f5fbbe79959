/// Work for several servers, of which some may be slow: while others have work waiting, none gets more than its
/// share of the places.
struct FairQueue<Server: Hashable, Work> {
    /// The servers with work waiting, each in its turn.
    private var turns: [Server] = []
    private var waiting: [Server: ArraySlice<Work>] = [:]
    private var running: [Server: Int] = [:]
    private let places: Int

    /// - Parameter places: how much is done at once, at least 1.
    init(_ work: [Work], places: Int, server: (Work) -> Server) {
        self.places = max(1, places)
        for item in work {
            let server = server(item)
            if waiting[server] == nil { turns.append(server) }
            waiting[server, default: []].append(item)
        }
    }

    /// The next piece of work that may start; nil until a place is given back.
    mutating func next() -> Work? {
        guard running.values.reduce(0, +) < places else { return nil }
        let share = max(1, places / max(1, turns.count))
        guard let turn = turns.firstIndex(where: { running[$0, default: 0] < share }) else { return nil }
        let server = turns.remove(at: turn)
        let work = waiting[server]?.popFirst()
        if waiting[server]?.isEmpty == false { turns.append(server) }
        running[server, default: 0] += 1
        return work
    }

    /// Gives a place back.
    mutating func finish(_ server: Server) {
        running[server, default: 1] -= 1
    }
}
