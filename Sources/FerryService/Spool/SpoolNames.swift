// Ferry: FerryService
// The names of files in the spool.

import FerryCore
import Foundation

/// The names of files in the spool: each says which transfer it is of.
enum SpoolNames {
    /// A finished file that its client still has to take.
    static func result(_ id: TransferID) -> String { "\(id).download" }

    /// A partial file that was handed over to whoever continues it.
    static func released(_ id: TransferID) -> String { "\(id).partial" }
}

extension ServiceConfiguration {
    /// The spool's folder; a service without state has one beside the system's temporary files.
    var spool: String { spoolFolder ?? (stateFolder ?? NSTemporaryDirectory() + "ferry") + "/spool" }
}
