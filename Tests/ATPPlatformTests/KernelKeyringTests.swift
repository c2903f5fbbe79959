import ATPPlatform
import BskyAuthCovers
import Foundation
import Testing

@Suite(
    "Kernel keyring", .enabled(if: Keyring.isPossible, "the kernel keeps no keys here"),
    .timeLimit(.minutes(10)))
struct KernelKeyringTests {
    private let name = "bskyauth:test:\(UUID().uuidString)"

    private func read() throws -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 64)
        return try KernelKeyring.read(name, into: &buffer).map { Array(buffer[..<$0]) }
    }

    @Test("gives back what was stored, until it is removed")
    func stored() throws {
        #expect(try read() == nil)
        try KernelKeyring.store([1, 2, 3], named: name, for: 60)
        #expect(try read() == [1, 2, 3])
        try KernelKeyring.store([4, 5], named: name, for: 60)
        #expect(try read() == [4, 5])
        #expect(try KernelKeyring.remove(name))
        #expect(try read() == nil)
        #expect(try !KernelKeyring.remove(name))
    }

    @Test("all that begin alike can be removed, and only these")
    func removedTogether() throws {
        for each in ["/one", "/two"] { try KernelKeyring.store([1], named: name + each, for: 60) }
        try KernelKeyring.store([1], named: "not " + name, for: 60)
        #expect(try KernelKeyring.removeAll(beginning: name + "/") == 2)
        #expect(try KernelKeyring.removeAll(beginning: name + "/") == 0)
        #expect(try !KernelKeyring.remove(name + "/one"))
        #expect(try KernelKeyring.remove("not " + name))
    }

    @Test("are all removed, however many there are", .enabled(if: geteuid() == 0, "a user may have 200 keys"))
    func removedMany() throws {
        for each in 0..<1100 { try KernelKeyring.store([1], named: "\(name)/\(each)", for: 60) }
        #expect(try KernelKeyring.removeAll(beginning: name + "/") == 1100)
    }

    @Test("is for who possesses it alone, and has an end before anybody else can see it", .covers("B21"))
    func restricted() throws {
        try KernelKeyring.store([1], named: name, for: 3600)
        // /proc/keys shows the key only to a process that possesses it.
        #expect(try read() == [1])
        let keys = String(decoding: try InputFile.read("/proc/keys", limit: 1 << 20), as: UTF8.self)
        let line = try #require(keys.split(separator: "\n").first { $0.contains(name) })
        // proc_keys(5): serial, flags, uses, time left, permissions, user, group, type, name.
        let fields = line.split(separator: " ")
        #expect(["1h", "59m"].contains(fields[3]) && fields[4] == "3f000000" && fields[7] == "user")
        #expect(try KernelKeyring.remove(name))
    }

    @Test("is gone when its time is over")
    func expired() async throws {
        try KernelKeyring.store([1], named: name, for: 1)
        while try read() != nil { await Task.yield() }
        #expect(try !KernelKeyring.remove(name))
    }

    @Test("takes no time without an end, and gives nothing that does not fit")
    func refused() throws {
        #expect(throws: SystemError.self) { try KernelKeyring.store([1], named: name, for: 0) }
        #expect(try read() == nil)
        try KernelKeyring.store([UInt8](repeating: 1, count: 65), named: name, for: 60)
        #expect(try read() == nil)
        #expect(try KernelKeyring.remove(name))
    }
}

/// Whether add_key(2) and keyctl(2) are allowed. Most containers forbid them by seccomp.
private enum Keyring {
    static let isPossible: Bool = {
        do { return try !KernelKeyring.remove("bskyauth:test:never stored") } catch { return false }
    }()
}
