internal import ATPPlatform

extension ErrorPresenter {
    /// A key file that others can read or replace. A copy that only this user can read is taken in its place.
    ///
    /// - Parameter isOfBundle: whether `--recipient-key` names it, so that the commands for keys of the vault don't help.
    static func openKeyFile(
        _ path: String, _ problem: SecretFile.Problem, isOfBundle: Bool = false
    ) -> Failure {
        let file = path.escapedForTerminal
        if problem == .descriptor {
            return Failure(
                .vaultLocked, "key_file_unusable",
                "a key file can't be read from \(InputFile.name(of: path).escapedForTerminal), because its owner and mode are checked",
                hint: "name the file itself:  \(isOfBundle ? "--recipient-key" : "--key-file") FILE")
        }
        let newKey = "make a new key" + (isOfBundle ? "" : " (vault add-key, vault remove-key)")
        let (code, reason) =
            switch problem {
            case .openFolder(let place):
                ("unsafe_key_file", "others can write in \(place.escapedForTerminal), which leads to it")
            case .openWay(let place):
                ("unsafe_key_file", "\(place.escapedForTerminal), which leads to it, belongs to another user")
            case .writableFile: ("unsafe_key_file", "others can change it, and may know the key")
            case .access(.unsafeMode(let mode)) where mode & writableByOthers != 0:
                (
                    "unsafe_permissions",
                    "others can change it (mode \(String(mode, radix: 8))), so they may know the key or have replaced it. To make the "
                        + "file private is not enough: \(newKey)"
                )
            case .access(.unsafeMode(let mode)):
                (
                    "unsafe_permissions",
                    "others can read it (mode \(String(mode, radix: 8))), so they may know the key. Make the file private, and if other "
                        + "people use this machine, \(newKey)"
                )
            case .access(.foreignOwner): ("foreign_owner", "it belongs to another user")
            case .access, .descriptor: ("unsafe_key_file", "symbolic links lead to it in a circle")
            case .openFile:
                (
                    "unsafe_key_file",
                    "others can read it, and it is not mounted as a secret; name a copy in its place"
                )
            }
        // Others may have written what is in a file that they can change or replace, so no hint leads to using it.
        let hint =
            switch problem {
            case .openFile: copying(path)
            case .openFolder(let place), .openWay(let place):
                "ls -ld \(place.escapedForTerminal.shellQuoted)"
            // Others could only read it, so the key is still the user's own. A key that others have written would be taken where a
            // key is made or sealed for: by vault init, vault add-key, accounts export and accounts import.
            case .access(.unsafeMode(let mode)) where mode & writableByOthers == 0:
                "chmod go-rwx \(file.shellQuoted)"
            case .access, .writableFile, .descriptor: "ls -l \(file.shellQuoted)"
            }
        return Failure(.vaultDamaged, code, "the key file \(file) is not taken: \(reason)", hint: hint)
    }

    /// The bits of a mode with which others can write.
    private static let writableByOthers: UInt32 = 0o022

    /// Copies a key to where only this user can read it. A file that is there stays: it may be the key of another vault.
    private static func copying(_ path: String) -> String {
        let name = "bskyauth-\(path.split(separator: "/").last ?? "key")".escapedForTerminal.shellQuoted
        let copy = "\"${XDG_RUNTIME_DIR:-$HOME}\"/\(name)"
        return "test -e \(copy) || install -m 600 -- \(path.escapedForTerminal.shellQuoted) \(copy)"
    }
}
