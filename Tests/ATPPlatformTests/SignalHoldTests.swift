import ATPPlatform
import CATPPlatform
import Glibc
import Testing

@Suite("Held signals", .timeLimit(.minutes(10))) struct SignalHoldTests {
    @Test("a held signal waits for the end of the last hold, then ends the process")
    func waits() async throws {
        let result = try await #require(
            processExitsWith: .signal(SIGTERM), observing: [\.standardOutputContent]
        ) {
            SignalHold.begin(.all)
            SignalHold.begin(.all)
            kill(getpid(), SIGTERM)
            while bskyauth_signals_pending() == 0 { sched_yield() }
            SignalHold.end(.all)
            try StandardStream.output.write(Array("[inside]".utf8))
            SignalHold.end(.all)
            try StandardStream.output.write(Array("[after]".utf8))
        }
        let output = String(decoding: result.standardOutputContent, as: UTF8.self)
        #expect(output.contains("[inside]"))
        #expect(!output.contains("[after]"))
    }

    @Test("the end of a hold obeys the signal on a thread that blocks it")
    func blockedThread() async {
        await #expect(processExitsWith: .signal(SIGINT)) {
            var every = sigset_t()
            unsafe sigfillset(&every)
            unsafe pthread_sigmask(SIG_BLOCK, &every, nil)
            SignalHold.begin(.all)
            kill(getpid(), SIGINT)
            while bskyauth_signals_pending() == 0 { sched_yield() }
            SignalHold.end(.all)
            exit(0)
        }
    }

    @Test("an interrupt is not lost behind a request to stop")
    func several() async {
        await #expect(processExitsWith: .signal(SIGINT)) {
            allowEverySignal()
            SignalHold.begin(.all)
            raise(SIGTSTP)
            raise(SIGINT)
            SignalHold.end(.all)
            exit(0)
        }
    }

    @Test("what the parent ignores stays ignored")
    func ignored() async {
        await #expect(processExitsWith: .exitCode(0)) {
            signal(SIGHUP, SIG_IGN)
            SignalHold.begin(.all)
            kill(getpid(), SIGHUP)
            SignalHold.end(.all)
            exit(bskyauth_signals_pending() != 0 ? 1 : 0)
        }
    }

    @Test("a request to stop is not the end of the process, and every other signal is")
    func ending() async {
        await #expect(processExitsWith: .exitCode(0)) {
            allowEverySignal()
            SignalHold.begin(.all)
            raise(SIGTSTP)
            let ends = [bskyauth_signals_pending() != 0, SignalHold.endsProcess]
            raise(SIGHUP)
            exit(ends == [true, false] && SignalHold.endsProcess ? 0 : 1)
        }
    }

    @Test(
        "every signal that may come from outside is held, and then obeyed",
        arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU])
    func each(_ number: Int32) async throws {
        let result = try await #require(
            processExitsWith: .signal(number), observing: [\.standardOutputContent]
        ) { [number] in
            allowEverySignal()
            SignalHold.begin(.all)
            raise(number)
            try StandardStream.output.write(Array("[inside]".utf8))
            SignalHold.end(.all)
        }
        #expect(String(decoding: result.standardOutputContent, as: UTF8.self).contains("[inside]"))
    }

    @Test("a hold of the stop signal leaves the others alone")
    func stopAlone() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            SignalHold.begin(.stop)
            kill(getpid(), SIGTERM)
            while true { pause() }
        }
    }

    @Test("a signal to continue takes back a held stop, and is not remembered itself")
    func continued() async {
        await #expect(processExitsWith: .exitCode(0)) {
            allowEverySignal()
            SignalHold.begin(.all)
            raise(SIGTSTP)
            raise(SIGCONT)
            // A stop that was not taken back would stop this process for good.
            SignalHold.end(.all)
            exit(bskyauth_signals_pending() == 0 ? 0 : 1)
        }
    }

    @Test("a hold without a signal changes nothing")
    func quiet() async {
        await #expect(processExitsWith: .signal(SIGTERM)) {
            for _ in 0..<3 {
                SignalHold.begin(.all)
                SignalHold.end(.all)
            }
            kill(getpid(), SIGTERM)
            while true { pause() }
        }
    }
}

/// Unblocks all signals of this thread.
private func allowEverySignal() {
    var every = sigset_t()
    unsafe sigfillset(&every)
    unsafe pthread_sigmask(SIG_UNBLOCK, &every, nil)
}
