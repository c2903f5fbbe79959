import ArgumentParser

@main
struct BskyauthSandbox: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bskyauth-sandbox",
        abstract:
            "A PLC directory, an authorization server and a PDS on loopback, for offline work and tests.",
        subcommands: [Serve.self]
    )
}
