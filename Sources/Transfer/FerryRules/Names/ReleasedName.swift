package import FerryCore
import FerryFoundation

/// The names of partial files that Ferry has handed over, for another transfer to continue.
///
/// The name marks a file as Ferry's own: only such a file is renamed and truncated. Any other file is the user's, even if
/// a request names it.
package enum ReleasedName {
    private static let suffix = ".partial"

    /// The name of a transfer's partial file.
    package static func of(_ id: TransferID) -> String { "\(id)\(suffix)" }

    /// A name for a partial file of a download that ran in an app.
    package static func unique() -> String { UUID().uuidString + suffix }

    /// The transfer named by ``of(_:)``, or nil for any other name.
    package static func transfer(in name: String) -> TransferID? {
        guard name.hasSuffix(suffix), name.utf8.count == 16 + suffix.utf8.count else { return nil }
        return TransferID(String(name.dropLast(suffix.count)))
    }

    /// Whether this type has made the name.
    package static func isOne(_ name: String) -> Bool {
        guard name.hasSuffix(suffix) else { return false }
        return transfer(in: name) != nil || UUID(uuidString: String(name.dropLast(suffix.count))) != nil
    }
}
