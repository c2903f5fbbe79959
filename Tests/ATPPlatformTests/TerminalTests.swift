import ATPPlatform
import Foundation
import Testing

/// A pseudo terminal that becomes the controlling terminal of this process. Only for exit tests.
private struct Keyboard {
    let descriptor: Int32

    init() throws {
        // A question without an answer must not hang the tests.
        alarm(600)
        var slave: Int32 = 0
        var master: Int32 = 0
        let opened = unsafe openpty(&master, &slave, nil, nil, nil)
        try #require(opened == 0)
        descriptor = master
        try #require(setsid() > 0)
        let taken = ioctl(slave, UInt(TIOCSCTTY), 0)
        try #require(taken == 0)
    }

    func type(_ text: String) {
        let bytes = Array(text.utf8)
        let count = unsafe write(descriptor, bytes, bytes.count)
        #expect(count == bytes.count)
    }

    /// Reads what the screen shows, at least up to a text.
    func screen(upTo text: String) -> String {
        var shown = ""
        while !shown.contains(text) {
            var bytes = [UInt8](repeating: 0, count: 1024)
            let count = unsafe read(descriptor, &bytes, bytes.count)
            guard count > 0 else { break }
            shown += String(decoding: bytes.prefix(count), as: UTF8.self)
        }
        return shown
    }

    var echoes: Bool {
        var settings = termios()
        unsafe tcgetattr(descriptor, &settings)
        return settings.c_lflag & tcflag_t(ECHO) != 0
    }

    /// Types as soon as the terminal is silent, because earlier input is dropped.
    func typeWhenSilent(_ text: String) {
        Thread.detachNewThread { [self] in
            while echoes { sched_yield() }
            type(text)
        }
    }
}

@Suite("Terminal", .timeLimit(.minutes(10))) struct TerminalTests {
    @Test("asks a question and shows the answer")
    func question() async {
        await #expect(processExitsWith: .success) {
            let keyboard = try Keyboard()
            keyboard.type("yes\n")
            #expect(try Terminal.open()?.ask("Go on? ") == "yes")
            #expect(keyboard.screen(upTo: "Go on? ").contains("yes"))
        }
    }

    @Test("asks for a passphrase without showing it, and shows what follows again")
    func silence() async {
        await #expect(processExitsWith: .success) {
            let keyboard = try Keyboard()
            keyboard.typeWhenSilent("correct horse\n")
            #expect(try Terminal.open()?.ask("Passphrase: ", echoes: false) == "correct horse")
            #expect(keyboard.screen(upTo: "\r\n") == "Passphrase: \r\n")
            #expect(keyboard.echoes)
        }
    }

    @Test("gives nothing at the end of input")
    func endOfInput() async {
        await #expect(processExitsWith: .success) {
            let keyboard = try Keyboard()
            keyboard.typeWhenSilent("\u{4}")
            #expect(try Terminal.open()?.ask("Passphrase: ", echoes: false) == nil)
            #expect(keyboard.echoes)
        }
    }

    @Test("an interrupt ends the question on whatever thread it is asked, and the process")
    func interrupt() async {
        await #expect(processExitsWith: .signal(SIGINT)) {
            let keyboard = try Keyboard()
            keyboard.typeWhenSilent("half\u{3}")
            _ = try Terminal.open()?.ask("Passphrase: ", echoes: false)
        }
    }

    @Test("the terminal shows what is typed again before an interrupt is obeyed")
    func restored() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let keyboard = try Keyboard()
            signal(SIGINT) { _ in
                var settings = termios()
                let terminal = unsafe open("/dev/tty", O_RDWR)
                let isKnown = unsafe tcgetattr(terminal, &settings) == 0
                _exit(isKnown && settings.c_lflag & tcflag_t(ECHO) != 0 ? 7 : 1)
            }
            keyboard.typeWhenSilent("half\u{3}")
            _ = try Terminal.open()?.ask("Passphrase: ", echoes: false)
        }
    }

    @Test("there is none where the session has none")
    func none() async {
        await #expect(processExitsWith: .success) {
            try #require(setsid() > 0)
            #expect(Terminal.open() == nil)
        }
    }
}
