internal import HummingbirdCore
internal import Logging
internal import NIOCore

/// Runs the requests of a connection on the thread that reads it, so that a call changes threads only for the request to the
/// server of its account. What may wait for long has threads of its own: locks and rotations of the vault, writes of rows, and
/// files of uploads.
struct ConnectionThreads<Base: ServerChildChannel>: ServerChildChannel {
    let base: Base

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: Base.Value, logger: Logger) async {
        let thread = ConnectionThread(value.channel.eventLoop)
        await withTaskExecutorPreference(thread) { await base.handle(value: value, logger: logger) }
    }
}

/// The thread of an event loop, for tasks.
private final class ConnectionThread: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
