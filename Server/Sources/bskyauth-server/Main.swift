internal import ArgumentParser
internal import BskyAuthServer

@main struct Main {
    static func main() async {
        await ServerCommand.main()
    }
}
