import ATPPlatform
import Glibc
import Testing

@Suite("Process hardening") struct ProcessHardeningTests {
    @Test("no core is written and a closed pipe is an error")
    func core() async {
        await #expect(processExitsWith: .success) {
            ProcessHardening.apply()
            var limit = rlimit(rlim_cur: 1, rlim_max: 1)
            _ = unsafe getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit)
            #expect(limit.rlim_cur == 0 && limit.rlim_max == 0)
            var ends: [Int32] = [0, 0]
            _ = unsafe pipe(&ends)
            close(ends[0])
            let written = unsafe write(ends[1], [0], 1)
            #expect(written == -1 && errno == EPIPE)
        }
    }

    @Test("no file comes in the place of a standard stream that is closed, and using one is an error")
    func closedStreams() async {
        await #expect(processExitsWith: .success) {
            for stream: Int32 in 0...2 { close(stream) }
            ProcessHardening.apply()
            let next = unsafe open("/dev/null", O_RDWR)
            #expect(next > 2)
            var byte: UInt8 = 0
            let count = unsafe read(0, &byte, 1)
            #expect(count == -1 && errno == EBADF)
            for path in ["/dev/stdin", "/dev/stdout"] {
                let again = unsafe open(path, path == "/dev/stdin" ? O_RDONLY : O_WRONLY)
                let count = again == -1 ? -1 : unsafe read(again, &byte, 1)
                #expect(count == -1, "\(path)")
            }
            for stream: Int32 in 1...2 {
                let written = unsafe write(stream, &byte, 1)
                #expect(written == -1 && errno == EBADF)
            }
        }
    }

    @Test("a variable that is removed reaches no child")
    func environment() async {
        await #expect(processExitsWith: .success) {
            unsafe setenv("BSKYAUTH_PASSPHRASE", "secret", 1)
            ProcessEnvironment.remove(["BSKYAUTH_PASSPHRASE", "BSKYAUTH_NOT_SET"])
            let value = unsafe getenv("BSKYAUTH_PASSPHRASE")
            let isSet = unsafe value != nil
            #expect(!isSet)
        }
    }
}
