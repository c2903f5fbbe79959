internal import Foundation

extension Home {
    /// Makes a file of 32 bytes that bundles are sealed for, as the other machine's `--key-file` is.
    package func recipientKey(_ name: String = "recipient.key") throws -> String {
        let path = directory.appending(path: name).path
        let key = Data((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        guard
            FileManager.default.createFile(
                atPath: path, contents: key, attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        return path
    }
}
