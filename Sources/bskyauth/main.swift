internal import ATPPlatform
internal import BskyAuthCLI
internal import Glibc

let arguments = ThisProgram.arguments
// _exit skips the exit handlers. This program has none, and those of its libraries take a tenth of the time of a call.
_exit(CommandLineTool.answerAtOnce(arguments) ?? CommandLineTool.run(arguments))
