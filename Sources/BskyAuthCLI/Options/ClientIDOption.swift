internal import OAuth

/// The URL of a hosted client's metadata.
enum ClientIDOption {
    static func validated(_ text: String) throws(Failure) -> ClientID {
        do throws(InvalidHostedClientID) {
            return try HostedClientID.make(text)
        } catch {
            let reason =
                switch error {
                case .notHTTPS: "it is no https URL"
                case .host: "its host has to be a name with a dot"
                case .path: "it has to name a document, as /oauth-client-metadata.json"
                case .notCanonical: "servers compare it byte for byte: no default port, lower-case host"
                }
            throw .usage("\"\(text.shown)\" can't be a client id: \(reason)")
        }
    }
}
