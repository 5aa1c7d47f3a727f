// The command line's main.

import FerryCommands
import Glibc

exit(await FerryProgram.run(Array(CommandLine.arguments.dropFirst()), in: .system()))
