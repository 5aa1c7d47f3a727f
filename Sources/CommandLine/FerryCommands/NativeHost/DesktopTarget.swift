import FerryCore

/// The path that a desktop opens for a transfer.
struct DesktopTarget: Hashable, Sendable {
    let path: String

    /// - Throws: ``ServiceError`` with code `invalid_request` if there is no finished file, or if a desktop would run
    ///   it.
    init(of transfer: Transfer, isFolder: Bool) throws(ServiceError) {
        if isFolder {
            path = transfer.destination.map { "/" + $0.pathParts.dropLast().joined(separator: "/") } ?? transfer.folder
            return
        }
        guard transfer.state == .succeeded, let file = transfer.destination else {
            throw ServiceError(.invalidRequest, "The file is not finished yet.")
        }
        guard !FileName.runsOnDesktop(file.lastPathPart) else {
            throw ServiceError(
                .invalidRequest, "The desktop would run this file instead of opening it; look at it in its folder.")
        }
        path = file
    }
}
