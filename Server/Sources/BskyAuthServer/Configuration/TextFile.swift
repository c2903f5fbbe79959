internal import FoundationEssentials

/// A file that people write.
enum TextFile {
    /// Reads a text of UTF-8, also one that begins with a byte order mark.
    static func read(_ path: String) throws(TextFileError) -> String {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw TextFileError(
                description:
                    "\(path) can't be read. Check that it is there and that the server's user may read it")
        }
        // Notepad and PowerShell write this for "Unicode".
        if data.starts(with: [0xff, 0xfe]) || data.starts(with: [0xfe, 0xff]) || data.contains(0) {
            throw TextFileError(description: "\(path) is UTF-16 or no text. Save it as UTF-8")
        }
        let bytes = data.starts(with: [0xef, 0xbb, 0xbf]) ? data.dropFirst(3) : data
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw TextFileError(description: "\(path) is not UTF-8. Save it as UTF-8")
        }
        return text
    }
}

/// Why a file can't be read, in a sentence for the operator without its full stop.
struct TextFileError: Error, CustomStringConvertible {
    let description: String
}
