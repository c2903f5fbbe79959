import ATPPlatform
import Foundation
import Glibc
import Testing

@Suite("Inputs from descriptors") struct InputFileTests {
    @Test("only the names of a descriptor of this process mean it") func names() {
        for (path, isOne) in [
            ("-", true), ("/dev/stdin", true), ("/dev/fd/0", true), ("/proc/self/fd/12", true),
            ("/dev/fd/03", false),
            ("/dev/fd/+3", false), ("/dev/fd/-1", false), ("/dev/fd/", false), ("/dev/fd/3/x", false),
            ("/dev/fd/99999999999", false), ("./-", false), ("/proc/1/fd/0", false), ("", false),
        ] {
            #expect(InputFile.isDescriptor(path) == isOne, "\(path)")
        }
        #expect(
            InputFile.name(of: "/dev/fd/0") == "standard input"
                && InputFile.name(of: "/dev/fd/3") == "/dev/fd/3")
    }

    @Test("a descriptor is read at its offset, and once") func once() async {
        await #expect(processExitsWith: .success) {
            let file = FileManager.default.temporaryDirectory.appending(path: "bskyauth-input-\(UUID())")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data("first\nsecond\n".utf8).write(to: file)
            let descriptor = unsafe open(file.path, O_RDONLY)
            lseek(descriptor, 6, SEEK_SET)
            let path = "/dev/fd/\(descriptor)"
            #expect(try InputFile.read(path, limit: 100) == Array("second\n".utf8))
            let again = #expect(throws: SystemError.self) { try InputFile.read(path, limit: 100) }
            #expect(again?.isSecondReading == true)
            #expect(throws: SystemError.self) { try Spool("/proc/self/fd/\(descriptor)") }
            // The descriptor stays open, so that no other file takes its number.
            #expect(fcntl(descriptor, F_GETFD) >= 0)
        }
    }

    @Test("a file that this process opened, and a closed descriptor, are none") func own() async {
        await #expect(processExitsWith: .success) {
            let own = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
            for descriptor in [own, 200] {
                let error = #expect(throws: SystemError.self) {
                    try InputFile.read("/dev/fd/\(descriptor)", limit: 1)
                }
                #expect(error?.errno == EBADF && error?.reason == "it is closed")
            }
        }
    }

    @Test("a line is enough, though the pipe stays open and does not block") func line() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [0, 0]
            #expect(unsafe pipe(&ends) == 0)
            _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
            let writer = ends[1]
            Thread.detachNewThread { _ = unsafe write(writer, "word\nmore", 9) }
            let bytes = try InputFile.read("/dev/fd/\(ends[0])", limit: 100, isLine: true)
            #expect(bytes.starts(with: "word\n".utf8))
        }
    }
}
