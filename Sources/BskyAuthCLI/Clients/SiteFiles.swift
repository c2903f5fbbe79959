internal import BskyAuthCore
internal import FoundationEssentials
internal import JSON
internal import OAuth

/// The files of a client's site, and the directory that they are written to.
struct SiteFiles {
    let client: HostedClient
    /// Published keys that this vault does not know.
    var others: [PublicJWK] = []
    /// Whether to add a workflow for GitHub Pages.
    var hasWorkflow = false

    /// What is written, by path.
    private var contents: [String: String] {
        let document = client.metadata(keeping: others).json.indentedText(decorating: nil) + "\n"
        return [HostedClient.documentName: document]
    }

    /// Writes the files. Other files of the directory stay.
    ///
    /// - Returns: the directory, absolute.
    func write(to directory: String) throws -> String {
        let root = URL(filePath: directory, directoryHint: .isDirectory).absoluteURL
        do {
            for (path, content) in contents.sorted(by: { $0.key < $1.key }) {
                let file = root.appending(path: path)
                try FileManager.default.createDirectory(
                    at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
                try Data(content.utf8).write(to: file, options: .atomic)
            }
        } catch {
            throw Failure(
                .failure, "io_error",
                "the files of the client can't be written to \(root.path.escapedForTerminal)",
                hint: "write them to another directory: --out DIRECTORY")
        }
        return root.path
    }
}
