// Ferry: FerryEngine
// Where a request's file goes.

package import FerryCore
import Foundation

/// Where a request's file goes.
package enum Destination {
    /// The folder, with the folders of the caller's name.
    package static func folder(of request: TransferRequest) -> String {
        guard let name = request.name else { return request.folder }
        let above = (name as NSString).deletingLastPathComponent
        if above.hasPrefix("/") { return above }
        return above.isEmpty ? request.folder : request.folder + "/" + above
    }

    /// The whole path, where the request names the file.
    package static func path(of request: TransferRequest) -> String? {
        guard let name = request.name else { return nil }
        let folder = folder(of: request)
        return (folder == "/" ? "" : folder) + "/" + (name as NSString).lastPathComponent
    }

    package static func exists(_ path: String) -> TransferError {
        TransferError(
            .destinationExists,
            "\(path.escapingControls) exists already; choose another name or another conflict policy.")
    }
}
