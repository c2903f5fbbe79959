import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Bodies larger than memory should be")
    struct LargeBodyTests {
        private static let upload = [
            Paths.program, "call", "com.atproto.repo.uploadBlob", "--content-type", "image/png", "--input",
        ]
        /// In bytes, of the command as a whole.
        private static let most = 64_000_000

        @Test(
            "100 MB go up and come back byte for byte in less than 64 MB, by file and by pipe", .covers("F12")
        )
        func memory() async throws {
            let home = try Home(try Sandbox())
            let alice = try await home.logIn("alice.test")
            let blob = try Data.random(count: 100_000_000)
            let file = home.directory.appending(path: "blob")
            try blob.write(to: file)

            let fromFile = try await home.measure(Self.upload + [file.path])
            let fromInput = try await home.measure(Self.upload + ["-"], input: blob)
            let uploaded = try #require(fromInput.result.json?["blob"] as? [String: Any])
            #expect(uploaded["size"] as? Int == blob.count)
            #expect(fromFile.result.text == fromInput.result.text)

            let cid = try #require((uploaded["ref"] as? [String: Any])?["$link"] as? String)
            let download = [
                Paths.program, "call", "com.atproto.sync.getBlob", "did=\(alice.did)", "cid=\(cid)",
            ]
            let toOutput = try await home.measure(download)
            #expect(toOutput.result.output == blob)
            let toFile = try await home.measure(download + ["-o", "copy"])
            #expect(toFile.result.output.isEmpty)
            #expect(try Data(contentsOf: home.directory.appending(path: "copy")) == blob)
            for run in [fromFile, fromInput, toOutput, toFile] {
                #expect(run.result.status == 0, "\(run.result.errors)")
                #expect(run.peak < Self.most)
            }
        }

        @Test("what is measured is memory that a program holds, not what these tests do")
        func measurement() async throws {
            let home = try Home(try Sandbox())
            let here = [UInt8](repeating: 1, count: 100_000_000)
            let idle = try await home.measure(["/bin/true"])
            #expect(idle.peak > 0 && idle.peak < 30_000_000)
            let greedy = try await home.measure([Program.python, "-c", "b'x' * \(here.count)"])
            #expect(greedy.peak > here.count)
        }
    }
}

extension Data {
    /// Bytes that nothing compresses, and that differ each time.
    static func random(count: Int) throws -> Data {
        let source = try FileHandle(forReadingFrom: URL(filePath: "/dev/urandom"))
        var data = Data()
        while data.count < count, let more = try source.read(upToCount: count - data.count) { data += more }
        return data
    }
}
