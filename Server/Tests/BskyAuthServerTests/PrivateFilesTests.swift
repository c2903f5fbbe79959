import BskyAuthServerSupport
import Foundation
import Testing

@Suite final class PrivateFilesTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "files-\(UUID())").path
    private var file: String { folder + "/file" }

    init() throws { try PrivateFiles.prepare(folder: folder) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    @Test("a file comes back as it was written", arguments: [0, 1, 70_000])
    func writes(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        try PrivateFiles.write([9, 9, 9], to: file)
        try PrivateFiles.write(bytes, to: file)
        #expect(try PrivateFiles.read(file) == bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["file"])
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
    }

    @Test("no file is no error") func missing() throws {
        #expect(try PrivateFiles.read(file) == nil)
    }

    @Test("a file that others may read is refused", arguments: [0o640, 0o604, 0o620, 0o601])
    func openToOthers(_ mode: Int) throws {
        try PrivateFiles.write([1], to: file)
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
        let error = #expect(throws: PrivateFileError.self) { try PrivateFiles.read(self.file) }
        #expect(error?.description.contains("chmod go= \(file)") == true)
        #expect(throws: PrivateFileError.self) { try PrivateFiles.prepare(file: self.file) }
        #expect(throws: PrivateFileError.self) { try PrivateFiles.append(line: "a", to: self.file) }
        #expect(try Data(contentsOf: URL(filePath: file)) == Data([1]))
    }

    @Test("a link is refused") func link() throws {
        try PrivateFiles.write([1], to: folder + "/other")
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: folder + "/other")
        #expect(throws: PrivateFileError.self) { try PrivateFiles.read(self.file) }
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: folder)
        #expect(throws: PrivateFileError.self) { try PrivateFiles.prepare(folder: self.folder + "/link") }
    }

    @Test("a secret may come by a link that this user alone can change") func secret() throws {
        try PrivateFiles.write([1, 2], to: folder + "/other")
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: folder + "/other")
        // The tests' folder is in one that all may write, so the way to it is not safe.
        let error = #expect(throws: PrivateFileError.self) { try PrivateFiles.readSecret(self.file, upTo: 9) }
        #expect(error?.description.contains("others can") == true)
        #expect(try PrivateFiles.readSecret(folder + "/other", upTo: 9) == [1, 2])
        #expect(try PrivateFiles.readSecret(folder + "/none", upTo: 9) == nil)
    }

    @Test("lines are added at the end") func lines() throws {
        try PrivateFiles.append(line: "a", to: file)
        try PrivateFiles.append(line: "b", to: file)
        #expect(try PrivateFiles.read(file) == Array("a\nb\n".utf8))
    }

    @Test("a large file is refused") func large() throws {
        try PrivateFiles.write([1, 2, 3], to: file)
        #expect(throws: PrivateFileError.self) { try PrivateFiles.read(self.file, upTo: 2) }
        #expect(try PrivateFiles.read(file, upTo: 3) == [1, 2, 3])
    }
}
