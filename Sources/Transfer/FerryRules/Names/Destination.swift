package import FerryCore
import FerryFoundation

/// The location of a request's file.
package enum Destination {
    /// Returns the folder, including the folders in the caller's file name.
    package static func folder(of request: TransferRequest) -> String {
        folder(request.file.folder, name: request.file.name)
    }

    package static func folder(_ folder: String, name: String?) -> String {
        guard let name else { return folder }
        let above = name.folderPart
        if above.hasPrefix("/") { return above }
        return above.isEmpty ? folder : folder + "/" + above
    }

    /// Returns the mode of folders created for a request. It is private to the user if partial files have their own
    /// folder.
    ///
    /// - Parameter umask: The mask for requests without their own.
    package static func folderMode(of request: TransferRequest, umask: FileMask) -> UInt32 {
        (request.file.umask ?? umask).applied(to: request.file.partialFolder == nil ? 0o777 : 0o700)
    }

    /// Returns the complete path if the request names the file.
    package static func path(of request: TransferRequest) -> String? {
        guard let name = request.file.name else { return nil }
        return folder(of: request).appendingPathPart(name.lastPathPart)
    }

    /// Returns the probable path before any response. A response may still provide another name.
    package static func likelyPath(of request: TransferRequest) -> String? {
        if let path = path(of: request) { return path }
        guard let url = try? HTTPURL(parsing: request.url) else { return nil }
        let name = FileName.choose(callerName: nil, contentDisposition: nil, originalURL: url, finalURL: url)
        return request.file.folder.appendingPathPart(name)
    }
}
