internal import BskyAuthCLI
internal import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
if let status = CommandLineTool.answerAtOnce(arguments) { exit(status) }
exit(CommandLineTool.run(arguments))
