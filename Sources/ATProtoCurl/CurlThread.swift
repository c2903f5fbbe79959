internal import ATPNetworking
internal import CATPCurl
internal import Glibc
internal import Synchronization

/// The one thread that uses libcurl for a network policy. Other threads send it commands.
///
/// It lives as long as the process, so that connections and TLS sessions are used again. `curl_multi_wakeup` is the
/// only function that libcurl allows on other threads.
@safe final class CurlThread: Sendable {
    private enum Command {
        case start(CurlExchange)
        case resume(CurlExchange)
        case cancel(CurlExchange)
    }

    /// The policy checks a connection when it opens, not when it is used again. So policies never share connections.
    private static let threads = Mutex<[NetworkPolicy: CurlThread]>([:])

    private static let globalResult = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// The thread of a policy; nil if libcurl or the thread could not be started.
    static func serving(_ policy: NetworkPolicy) -> CurlThread? {
        threads.withLock { threads in
            if let thread = threads[policy] { return thread }
            let thread = CurlThread()
            threads[policy] = thread
            return thread
        }
    }

    private let inbox = Mutex<[Command]>([])
    // Other threads use it for curl_multi_wakeup alone.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

    private init?() {
        guard Self.globalResult == CURLE_OK, let multi = unsafe curl_multi_init() else { return nil }
        unsafe self.multi = multi
        // The thread never ends, so its reference is never released.
        let reference = unsafe Unmanaged.passRetained(self)
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread, nil,
            { argument in
                if let argument = unsafe argument {
                    unsafe Unmanaged<CurlThread>.fromOpaque(argument).takeUnretainedValue().run()
                }
                return nil
            }, reference.toOpaque())
        guard status == 0 else {
            unsafe reference.release()
            return nil
        }
        pthread_detach(thread)
    }

    func start(_ exchange: CurlExchange) { post(.start(exchange)) }

    /// Continues an exchange that was held back: the response's body was not read, or the request's had not arrived.
    func resume(_ exchange: CurlExchange) { post(.resume(exchange)) }

    /// Cancels an exchange. One that has ended before stays as it is.
    func cancel(_ exchange: CurlExchange) { post(.cancel(exchange)) }

    private func post(_ command: Command) {
        let isFirst = inbox.withLock { inbox in
            inbox.append(command)
            return inbox.count == 1
        }
        // The thread takes all waiting commands at once, so the wake-up of the first one is enough.
        if isFirst { unsafe curl_multi_wakeup(multi) }
    }

    private func run() {
        blockBrokenPipe()
        var jobs: [ObjectIdentifier: CurlJob] = [:]
        var lastLook = ContinuousClock.now
        while true {
            let commands = inbox.withLock { inbox in
                defer { inbox = [] }
                return inbox
            }
            for command in commands { obey(command, &jobs) }
            var running: Int32 = 0
            unsafe curl_multi_perform(multi, &running)
            collectFinished(&jobs)
            let now = ContinuousClock.now
            if lastLook.duration(to: now) >= .seconds(1) {
                endIdle(&jobs, at: now)
                lastLook = now
            }
            // If a command arrives from now on, its wake-up makes poll return at once. An earlier wake-up may be lost: in
            // libcurl 8.21.0, curl_multi_perform takes it (github.com/curl/curl/issues/22272).
            let longest: Int32 = inbox.withLock { !$0.isEmpty } ? 0 : jobs.isEmpty ? 60_000 : 1_000
            unsafe curl_multi_poll(multi, nil, 0, longest, nil)
        }
    }

    /// CURLOPT_NOSIGNAL leaves SIGPIPE to us. libcurl writes with MSG_NOSIGNAL, but its TLS library may not.
    private func blockBrokenPipe() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private func obey(_ command: Command, _ jobs: inout [ObjectIdentifier: CurlJob]) {
        switch command {
        case .start(let exchange): start(exchange, &jobs)
        case .resume(let exchange):
            guard let job = jobs[ObjectIdentifier(exchange)] else { return }
            unsafe curl_easy_pause(job.easy.pointer, CURLPAUSE_CONT)
        case .cancel(let exchange):
            guard let job = jobs[ObjectIdentifier(exchange)] else {
                return exchange.end(.failed(exchange.error(.cancelled, requestWasSent: false)))
            }
            remove(job, &jobs)
            job.cancel()
        }
    }

    private func start(_ exchange: CurlExchange, _ jobs: inout [ObjectIdentifier: CurlJob]) {
        // Its task may have been cancelled before.
        guard !exchange.hasEnded else { return }
        let job: CurlJob
        do { job = try CurlJob(exchange, wake: { self.resume(exchange) }) } catch {
            let failure = exchange.error(.unavailable, requestWasSent: false, detail: error.reason)
            return exchange.end(.failed(failure))
        }
        guard unsafe curl_multi_add_handle(multi, job.easy.pointer) == CURLM_OK else {
            return job.finish(CURLE_FAILED_INIT)
        }
        jobs[ObjectIdentifier(exchange)] = job
    }

    private func collectFinished(_ jobs: inout [ObjectIdentifier: CurlJob]) {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            let result = unsafe bskyauth_curl_message_result(message)
            let finished = unsafe message.pointee.easy_handle
            guard let job = jobs.values.first(where: { unsafe $0.easy.pointer == finished }) else { continue }
            remove(job, &jobs)
            job.finish(result)
        }
    }

    private func endIdle(_ jobs: inout [ObjectIdentifier: CurlJob], at now: ContinuousClock.Instant) {
        for job in jobs.values where job.isIdle(at: now) {
            remove(job, &jobs)
            job.timeOut()
        }
    }

    private func remove(_ job: CurlJob, _ jobs: inout [ObjectIdentifier: CurlJob]) {
        job.noteWhatWasSent()
        unsafe curl_multi_remove_handle(multi, job.easy.pointer)
        jobs[ObjectIdentifier(job.exchange)] = nil
    }
}
