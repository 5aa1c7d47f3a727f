package import FerryCore

/// Names of spool files. Each contains its transfer's id.
package enum SpoolNames {
    /// Returns the name of a finished file that its client has not collected yet.
    package static func result(_ id: TransferID) -> String { "\(id).download" }
}
