internal import BskyAuthCLI
internal import Glibc

exit(await CommandLineTool.run(Array(CommandLine.arguments.dropFirst())))
