internal import ATProtoSessions
internal import BskyAuthRows
internal import FoundationEssentials
internal import Logging
internal import ServiceLifecycle

/// The work that no request asks for: each minute it removes expired rows and writes when sessions were used, and each hour it
/// sweeps.
struct Upkeep: Service {
    let parts: ServerParts

    private var metrics: Metrics { parts.metrics }

    func run() async throws {
        let counting = Task { [metrics, events = parts.client.events] in await metrics.count(events) }
        defer { counting.cancel() }
        async let minutes: Void = every(60) { await self.minute() }
        async let hours: Void = every(3600) { await self.sweep() }
        _ = await (minutes, hours)
        await saveLastUse()
    }

    /// Repeats work until the server shuts down. The first time comes earlier, and all at random moments, so that servers that
    /// start together don't do it together.
    private func every(_ seconds: Double, _ work: @Sendable () async -> Void) async {
        var pause = seconds * Double.random(in: 0.1...0.2)
        while !Task.isShuttingDownGracefully {
            let sleep = Duration.seconds(pause)
            let isOver = await cancelWhenGracefulShutdown {
                do { try await Task.sleep(for: sleep) } catch { return true }
                return false
            }
            if isOver { return }
            await work()
            pause = seconds * Double.random(in: 0.9...1.1)
        }
    }

    private func minute() async {
        // A store is looked through with each sweep, by one replica.
        if parts.configuration.store == nil { await removeExpired() }
        await saveLastUse()
    }

    private func removeExpired() async {
        do {
            while try await parts.rows.removeExpired() > 0 {}
        } catch {
            parts.log.warning("expired rows were not removed: \(error)")
        }
    }

    private func saveLastUse() async {
        do { try await parts.lastUse.save() } catch {
            parts.log.warning("it was not saved when sessions were used: \(error)")
        }
    }

    private func sweep() async {
        do {
            let report = try await parts.sweep.run()
            metrics.add(to: .sweeps, [("result", report == nil ? "elsewhere" : "done")])
            if let report { metrics.note(report, at: parts.now()) }
            if report != nil, parts.configuration.store != nil { await removeExpired() }
        } catch {
            metrics.add(to: .sweeps, [("result", "failed")])
            parts.log.error("the sweep failed, and goes on in an hour: \(error)")
        }
    }
}
