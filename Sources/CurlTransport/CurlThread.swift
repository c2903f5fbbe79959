internal import CCurl
internal import Glibc
internal import Networking
internal import Synchronization

/// The thread that touches libcurl for a policy: a multi handle, its transfers, and an inbox for everybody else.
///
/// It lives as long as the process, so that connections and TLS sessions are used again. Handles are never
/// touched elsewhere; `curl_multi_wakeup` is the one call that libcurl allows from other threads.
@safe final class CurlThread: Sendable {
    private enum Command {
        case start(CurlTransfer)
        case resume(CurlTransfer)
        case cancel(CurlTransfer)
    }

    /// A connection is judged when it opens and not when it is used again, so connections are never shared
    /// between policies. A process of the product has one, and another where names are asked for over https.
    private static let threads = Mutex<[NetworkPolicy: CurlThread]>([:])

    private static let globalResult = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

    /// The thread of a policy; nil where libcurl or the thread could not be set up.
    static func serving(_ policy: NetworkPolicy) -> CurlThread? {
        threads.withLock { threads in
            if let thread = threads[policy] { return thread }
            let thread = CurlThread()
            threads[policy] = thread
            return thread
        }
    }

    private let inbox = Mutex<[Command]>([])
    // Written once before the thread starts; used by it alone but for curl_multi_wakeup.
    private nonisolated(unsafe) let multi: UnsafeMutableRawPointer

    private init?() {
        guard Self.globalResult == CURLE_OK, let multi = unsafe curl_multi_init() else { return nil }
        unsafe self.multi = multi
        // The thread never ends, so the reference it holds is never given back.
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

    func start(_ transfer: CurlTransfer) { post(.start(transfer)) }

    /// Lets a transfer go on that was held back because nobody read its body.
    func resume(_ transfer: CurlTransfer) { post(.resume(transfer)) }

    /// Ends a transfer; one that has ended already stays as it is.
    func cancel(_ transfer: CurlTransfer) { post(.cancel(transfer)) }

    private func post(_ command: Command) {
        inbox.withLock { $0.append(command) }
        unsafe curl_multi_wakeup(multi)
    }

    private func run() {
        blockBrokenPipe()
        var active: [ObjectIdentifier: CurlTransfer] = [:]
        while true {
            let commands = inbox.withLock { inbox in
                defer { inbox = [] }
                return inbox
            }
            for command in commands { obey(command, &active) }
            var running: Int32 = 0
            unsafe curl_multi_perform(multi, &running)
            collectFinished(&active)
            // A command may have arrived meanwhile: the wake-up is remembered and poll answers at once.
            unsafe curl_multi_poll(multi, nil, 0, active.isEmpty ? 60_000 : 1_000, nil)
        }
    }

    /// CURLOPT_NOSIGNAL leaves SIGPIPE to us. This libcurl writes with MSG_NOSIGNAL, TLS included; one whose
    /// TLS library writes by itself must not end the process either.
    private func blockBrokenPipe() {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    private func obey(_ command: Command, _ active: inout [ObjectIdentifier: CurlTransfer]) {
        switch command {
        case .start(let transfer):
            guard transfer.prepare(), let handle = unsafe transfer.handle,
                unsafe curl_multi_add_handle(multi, handle) == CURLM_OK
            else { return transfer.finish(CURLE_FAILED_INIT) }
            active[ObjectIdentifier(transfer)] = transfer
        case .resume(let transfer):
            guard active[ObjectIdentifier(transfer)] != nil, let handle = unsafe transfer.handle else {
                return
            }
            unsafe curl_easy_pause(handle, CURLPAUSE_CONT)
        case .cancel(let transfer):
            if active[ObjectIdentifier(transfer)] != nil {
                remove(transfer, &active)
            }
            transfer.finish(nil)
        }
    }

    private func collectFinished(_ active: inout [ObjectIdentifier: CurlTransfer]) {
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE else { continue }
            let result = unsafe bskyauth_curl_message_result(message)
            let finished = unsafe message.pointee.easy_handle
            guard let transfer = active.values.first(where: { unsafe $0.handle == finished }) else {
                continue
            }
            transfer.noteWhatWasSent()
            remove(transfer, &active)
            transfer.finish(result)
        }
    }

    private func remove(_ transfer: CurlTransfer, _ active: inout [ObjectIdentifier: CurlTransfer]) {
        if let handle = unsafe transfer.handle {
            transfer.noteWhatWasSent()
            unsafe curl_multi_remove_handle(multi, handle)
        }
        active[ObjectIdentifier(transfer)] = nil
    }
}
