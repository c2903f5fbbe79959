internal import ATPNetworking
internal import FoundationEssentials
internal import Glibc
internal import Synchronization

/// A body in a file that only this process can reach, and that ends with it. It has a slot, because it takes room on the disk.
final class BodyFile: Sendable {
    private let open: Mutex<(descriptor: CInt, size: Int, slot: Slots<UUID>.Slot)?>

    init(in folder: String, _ slot: Slots<UUID>.Slot) throws {
        open = Mutex((try Self.make(in: folder), 0, slot))
    }

    deinit { end() }

    /// `O_TMPFILE` of `fcntl.h`, which Swift does not import.
    private static let withoutName = 0o20_000_000 | O_DIRECTORY

    private static func make(in folder: String) throws -> CInt {
        let nameless = unsafe Glibc.open(folder, withoutName | O_RDWR | O_CLOEXEC, 0o600)
        if nameless >= 0 { return nameless }
        guard errno == EOPNOTSUPP else { throw FileProblem(number: errno) }
        // The file system has no files without a name.
        let path = "\(folder)/body-\(UUID().uuidString)"
        let descriptor = unsafe Glibc.open(path, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw FileProblem(number: errno) }
        guard unsafe unlink(path) == 0 else {
            let problem = FileProblem(number: errno)
            close(descriptor)
            throw problem
        }
        return descriptor
    }

    /// Removes the file, and gives its slot back.
    func end() {
        open.withLock { open in
            guard let file = open else { return }
            close(file.descriptor)
            open = nil
        }
    }

    var length: Int { open.withLock { $0?.size ?? 0 } }

    func append(_ bytes: [UInt8]) throws {
        try open.withLock { open in
            guard var file = open else { throw FileProblem(number: EBADF) }
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes {
                    unsafe pwrite(file.descriptor, $0.baseAddress, $0.count, off_t(file.size))
                }
                guard count > 0 else { throw FileProblem(number: errno) }
                file.size += count
                rest = rest.dropFirst(count)
            }
            open = file
        }
    }

    fileprivate func read(at position: Int64, upTo count: Int, into room: inout MutableRawSpan) throws -> Int
    {
        try unsafe room.withUnsafeMutableBytes { room in
            try open.withLock { open in
                guard let file = open else { throw FileProblem(number: EBADF) }
                let read = unsafe pread(
                    file.descriptor, room.baseAddress, min(count, room.count), off_t(position))
                guard read >= 0 else { throw FileProblem(number: errno) }
                return read
            }
        }
    }
}

/// Why a body could not be kept.
struct FileProblem: Error, CustomStringConvertible {
    let number: CInt

    /// Whether the disk or a quota is full.
    var isFull: Bool { [ENOSPC, EDQUOT, EFBIG].contains(number) }

    var description: String { unsafe "a body could not be kept: \(String(cString: strerror(number)))" }
}

/// A body in a file, which can be sent any number of times.
struct SavedBody: RequestBodySource {
    let file: BodyFile
    let length: Int64?

    func open(wake: @escaping @Sendable () -> Void) -> any RequestBodyReader { Reader(file: file) }

    private struct Reader: RequestBodyReader {
        let file: BodyFile
        var position: Int64 = 0

        mutating func read(upTo count: Int, into room: inout MutableRawSpan) throws -> Int? {
            let read = try file.read(at: position, upTo: count, into: &room)
            position += Int64(read)
            return read
        }
    }
}
