// The command line's main.

import FerryCommands
import Glibc

exit(await FerryProgram.main())
