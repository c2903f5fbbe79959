internal import CATPPlatform

/// Git's name for the commit that this program was built from.
package enum BuildName {
    /// nil if the build does not set it (`BSKYAUTH_BUILD`), as in development.
    package static var text: String? { unsafe bskyauth_build_name().map { unsafe String(cString: $0) } }
}
