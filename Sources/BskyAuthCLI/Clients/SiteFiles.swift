internal import ATPJSON
internal import ATProtoOAuth
internal import BskyAuthCore
internal import FoundationEssentials
internal import OAuthDPoP

/// The files of a client's site, and the directory that they are written to.
struct SiteFiles {
    let client: HostedClient
    /// Published keys that this vault does not know.
    var others: [JSONValue] = []
    /// Whether to add a workflow for GitHub Pages.
    var hasWorkflow = false

    /// What is written, by path.
    private var contents: [String: String] {
        var contents = client.kind == .web ? StaticSite(base: client.base)?.files ?? [:] : [:]
        contents[HostedClient.documentName] =
            client.metadata(keeping: others).json.indentedText(decorating: nil) + "\n"
        return contents
    }

    /// Refuses a directory with the document of another client.
    private func requireOwn(_ root: URL) throws {
        let file = root.appending(path: HostedClient.documentName).path
        guard FileManager.default.fileExists(atPath: file),
            let bytes = FileManager.default.contents(atPath: file),
            let found = (try? JSONParser.parse(Array(bytes)))?["client_id"]?.string,
            found != client.clientID.description
        else { return }
        throw Failure(
            .usage, "directory_in_use",
            "\(root.path.escapedForTerminal) has the files of another client, \(found.escapedForTerminal)",
            hint: writeCommand)
    }

    /// The command that writes the files elsewhere. The client itself is in the vault already.
    private var writeCommand: String {
        "bskyauth client write \(client.name.escapedForTerminal.shellQuoted) --ignore-published --out DIRECTORY"
    }

    /// Writes the files. Other files of the directory stay.
    ///
    /// - Returns: the directory, absolute.
    func write(to directory: String) throws -> String {
        let root = URL(filePath: directory, directoryHint: .isDirectory).absoluteURL
        try requireOwn(root)
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
                hint:
                    "bskyauth client write \(client.name.escapedForTerminal.shellQuoted) --ignore-published --out DIRECTORY"
            )
        }
        return root.path
    }
}
