// The command line's main.

import FerryCommands
import Glibc

FerryProgram.prepareProcess()
exit(await FerryProgram.main())
