// The main of `ferry-fleet`, which people type as `ferry fleet`.

import FerryCommands
import FerryFleetCommands
import Glibc

FerryProgram.prepareProcess()
exit(await FleetProgram.main())
