import ATPPlatform
import Testing

@Suite("Programs") struct ExecutableFileTests {
    @Test("are found where PATH leads, first come, and by their own path without it") func found() {
        #expect(ExecutableFile.find("sh", path: "/nowhere:/bin:/usr/bin") == "/bin/sh")
        #expect(ExecutableFile.find("/bin/sh", path: "") == "/bin/sh")
        #expect(ExecutableFile.find("sh", path: nil) == "/usr/bin/sh")
    }

    @Test(
        "are not what is no file or may not be started",
        arguments: ["no-such-program", "/etc/passwd", "/bin", ""])
    func notFound(name: String) {
        #expect(ExecutableFile.find(name, path: "/usr/bin:/bin:/etc") == nil)
    }
}
