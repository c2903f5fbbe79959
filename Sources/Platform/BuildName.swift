internal import CPlatform

/// What git calls the tree that this program was built from.
package enum BuildName {
    /// nil for a build that was not told, as those of developers.
    package static var text: String? { unsafe bskyauth_build_name().map { unsafe String(cString: $0) } }
}
