internal import ATPPlatform
internal import BskyAuthCLI
internal import Glibc

let arguments = ThisProgram.arguments
// Not exit(): nothing of ours waits for it, and what thirty libraries tidy up then takes a tenth of a call.
_exit(CommandLineTool.answerAtOnce(arguments) ?? CommandLineTool.run(arguments))
