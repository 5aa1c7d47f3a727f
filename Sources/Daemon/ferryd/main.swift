// The daemon's program.

import FerryServer
import Foundation

Daemon.prepareProcess()
exit(await Daemon.main())
