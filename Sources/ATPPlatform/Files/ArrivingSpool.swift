internal import Glibc
internal import Synchronization

/// A request body that can be read from its beginning any number of times, also while it still arrives.
///
/// Its first bytes are in memory. A longer body moves to a nameless file that only this process can open.
package final class ArrivingSpool: Sendable {
    /// What one reading found.
    package enum Read: Sendable, Equatable {
        case bytes(Int)
        /// The next bytes have not arrived yet.
        case later
        case end
    }

    /// Why a body does not arrive, or can't be read.
    package enum Problem: Error, Sendable, Equatable {
        /// The files of all bodies together would be too long.
        case full
        /// The sender ended before the body did.
        case brokenOff
        case system(SystemError)
    }

    private struct State {
        var memory: [UInt8] = []
        /// The file that has all bytes; nil while they are in memory.
        var file: Int32?
        var count: Int64 = 0
        /// Set once: how the body ended.
        var end: Result<Void, Problem>?
        var isUnwanted = false
        var wakes: [@Sendable () -> Void] = []
    }

    private static let mostInMemory = 1 << 20

    private let room: SpoolRoom
    private let state = Mutex(State())

    /// - Parameter room: the room for files, which several bodies share.
    package init(in room: SpoolRoom) {
        self.room = room
    }

    deinit {
        state.withLock { state in
            guard let file = state.file else { return }
            close(file)
            room.release(state.count)
        }
    }

    /// Whether all of the body has arrived.
    package var isComplete: Bool {
        if case .success = state.withLock({ $0.end }) { true } else { false }
    }

    /// Why the body does not come any more.
    package var problem: Problem? {
        if case .failure(let problem) = state.withLock({ $0.end }) { problem } else { nil }
    }

    // MARK: Writing

    /// Adds bytes. Only one thread adds at a time.
    package func append(_ bytes: [UInt8]) throws(Problem) {
        let (file, position, isUnwanted) = state.withLock { ($0.file, $0.count, $0.isUnwanted) }
        if isUnwanted { return }
        if file == nil, position + Int64(bytes.count) <= Self.mostInMemory {
            return change { state in
                state.memory += bytes
                state.count += Int64(bytes.count)
            }
        }
        let open = if let file { file } else { try move() }
        guard room.take(Int64(bytes.count)) else { throw .full }
        do { try write(bytes, to: open, at: position) } catch {
            room.release(Int64(bytes.count))
            throw error
        }
        change { $0.count += Int64(bytes.count) }
    }

    /// Notes that the body is complete.
    package func finish() {
        change { $0.end = $0.end ?? .success(()) }
    }

    /// Notes that the rest of the body does not come. Its readers fail.
    package func fail(_ problem: Problem) {
        change { $0.end = $0.end ?? .failure(problem) }
    }

    /// Drops what arrives from now on, because it is not read.
    package func discard() {
        state.withLock { $0.isUnwanted = true }
    }

    /// Moves what has arrived to a new file.
    private func move() throws(Problem) -> Int32 {
        let memory = state.withLock { $0.memory }
        guard room.take(Int64(memory.count)) else { throw .full }
        let file: Int32
        do {
            file = try Spool.temporaryFile()
        } catch {
            room.release(Int64(memory.count))
            throw .system(error)
        }
        do { try write(memory, to: file, at: 0) } catch {
            room.release(Int64(memory.count))
            close(file)
            throw error
        }
        state.withLock { state in
            state.file = file
            state.memory = []
        }
        return file
    }

    private func write(_ bytes: [UInt8], to file: Int32, at position: Int64) throws(Problem) {
        var done = 0
        while done < bytes.count {
            let count = unsafe bytes.withUnsafeBytes { bytes in
                unsafe pwrite(
                    file, bytes.baseAddress?.advanced(by: done), bytes.count - done, off_t(position) + done)
            }
            guard count >= 0 || errno == EINTR else { throw .system(.last("write", Spool.directory)) }
            done += max(count, 0)
        }
    }

    private func change(_ change: (inout State) -> Void) {
        let wakes = state.withLock { state in
            defer { state.wakes = [] }
            change(&state)
            return state.wakes
        }
        for wake in wakes { wake() }
    }

    // MARK: Reading

    /// Reads at most `count` bytes at a position into the beginning of `room`.
    ///
    /// - Parameter wake: is called once after ``Read/later``, as soon as there are more bytes or the body has ended.
    package func read(
        at position: Int64, upTo count: Int, into room: inout MutableRawSpan,
        wake: @escaping @Sendable () -> Void
    ) throws(Problem) -> Read {
        let most = min(count, room.byteCount)
        let (bytes, file, there, end) = state.withLock { state in
            let there = min(most, Int(clamping: state.count - position))
            if there == 0, state.end == nil { state.wakes.append(wake) }
            let bytes =
                state.file == nil && there > 0
                ? state.memory[Int(position)..<Int(position) + there] : []
            return (bytes, state.file, there, state.end)
        }
        if case .failure(let problem) = end { throw problem }
        guard there > 0 else { return end == nil ? .later : .end }
        guard let file else {
            unsafe room.withUnsafeMutableBytes { unsafe $0.copyBytes(from: bytes) }
            return .bytes(there)
        }
        while true {
            let got = unsafe room.withUnsafeMutableBytes {
                unsafe pread(file, $0.baseAddress, there, off_t(position))
            }
            if got > 0 { return .bytes(got) }
            guard got < 0, errno == EINTR else {
                throw .system(
                    SystemError(errno: got < 0 ? errno : EIO, operation: "read", path: Spool.directory))
            }
        }
    }
}

/// How many bytes the files of all bodies may have together.
package final class SpoolRoom: Sendable {
    private let left: Mutex<Int64>

    package init(bytes: Int64) {
        left = Mutex(bytes)
    }

    fileprivate func take(_ bytes: Int64) -> Bool {
        left.withLock { left in
            guard left >= bytes else { return false }
            left -= bytes
            return true
        }
    }

    fileprivate func release(_ bytes: Int64) {
        left.withLock { $0 += bytes }
    }
}
