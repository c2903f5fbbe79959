internal import CATPPlatform

/// The path of this program's file, and the arguments that it was started with.
package enum ThisProgram {
    /// The arguments without the program's name.
    ///
    /// Swift's `CommandLine.arguments` looks for them beside `environ`. It finds none if a preloaded library has set a
    /// variable before (swiftlang/swift#76080), and a command would do nothing and succeed.
    package static var arguments: [String] {
        var arguments: [String] = []
        while let text = unsafe bskyauth_argument(Int32(arguments.count + 1)) {
            unsafe arguments.append(String(cString: text))
        }
        return arguments
    }

    /// Git's name for the commit that this program was built from; nil if the build does not set it (`BSKYAUTH_BUILD`), as in
    /// development.
    package static var build: String? { unsafe bskyauth_build_name().map { unsafe String(cString: $0) } }
}
