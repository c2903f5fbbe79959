// What libFuzzer calls; its own main is linked in (see scripts/dev/fuzz).
internal import BskyAuthFuzzTargets
internal import Glibc

/// The target that `BSKYAUTH_FUZZ_TARGET` names.
private let target: FuzzTarget = {
    let name = unsafe getenv("BSKYAUTH_FUZZ_TARGET").map { unsafe String(cString: $0) } ?? ""
    guard let target = FuzzTarget.named(name) else {
        fatalError("BSKYAUTH_FUZZ_TARGET is one of \(FuzzTarget.all.map(\.name).joined(separator: " "))")
    }
    return target
}()

/// Reads one input. A trap or a broken rule ends the process, and libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    do {
        try target.read(input)
    } catch {
        fatalError("\(error)")
    }
    return 0
}

/// Gives libFuzzer the samples to mutate first.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?
) -> CInt {
    guard let folder = unsafe getenv("BSKYAUTH_FUZZ_SAMPLES").map({ unsafe String(cString: $0) }) else {
        return 0
    }
    for (number, sample) in target.samples.enumerated() {
        guard let file = unsafe fopen("\(folder)/sample-\(number)", "w") else {
            fatalError("\(folder): \(errno)")
        }
        guard unsafe fwrite(sample, 1, sample.count, file) == sample.count, unsafe fclose(file) == 0 else {
            fatalError("\(folder): \(errno)")
        }
    }
    return 0
}
