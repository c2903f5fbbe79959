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
        var contents = client.kind == .web ? StaticSite(base: client.base)?.files ?? [:] : [:]
        contents[HostedClient.documentName] =
            client.metadata(keeping: others).json.indentedText(decorating: nil) + "\n"
        return contents
    }

    /// Writes the files. Other files of the directory stay.
    ///
    /// - Returns: the directory, absolute.
    func write(to directory: String) throws -> String {
        let root = URL(filePath: directory, directoryHint: .isDirectory).absoluteURL
        var files = contents.map { (root.appending(path: $0.key), $0.value) }
        if hasWorkflow {
            // A repository has it at its top, beside the directory that it publishes.
            let workflow = root.deletingLastPathComponent().appending(path: StaticSite.workflowPath)
            files.append((workflow, StaticSite.workflow(publishing: root.lastPathComponent)))
        }
        do {
            for (file, content) in files {
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
