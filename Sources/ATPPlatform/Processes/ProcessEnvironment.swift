internal import CATPPlatform
internal import Glibc

/// The environment variables of this process.
package enum ProcessEnvironment {
    /// All variables by name. Bytes that are not UTF-8 are replaced. If a name occurs twice, the first one counts, as
    /// for `getenv`.
    package static var variables: [String: String] {
        var variables: [String: String] = [:]
        var next = unsafe bskyauth_environment()
        while let entry = unsafe next, let text = unsafe entry.pointee {
            let bytes = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text))
            if let end = unsafe bytes.firstIndex(of: UInt8(ascii: "=")) {
                let name = unsafe String(decoding: bytes[..<end], as: UTF8.self)
                if variables[name] == nil {
                    variables[name] = unsafe String(decoding: bytes[(end + 1)...], as: UTF8.self)
                }
            }
            unsafe next = entry + 1
        }
        return variables
    }

    /// Removes variables, so that no child inherits them.
    package static func remove(_ names: [String]) {
        for name in names { _ = unsafe unsetenv(name) }
    }
}
