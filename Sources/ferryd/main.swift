// Ferry: ferryd
// The daemon's program.

import FerryServer
import Foundation

exit(await Daemon.main())
