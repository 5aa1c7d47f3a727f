package import FerryCore
import Foundation

/// Where a request's file goes.
package enum Destination {
    /// The folder, with the folders of the caller's name.
    package static func folder(of request: TransferRequest) -> String {
        folder(request.folder, name: request.name)
    }

    package static func folder(_ folder: String, name: String?) -> String {
        guard let name else { return folder }
        let above = name.folderPart
        if above.hasPrefix("/") { return above }
        return above.isEmpty ? folder : folder + "/" + above
    }

    /// The mode of folders that are made for a request: its user's alone where partial files have a folder of their own.
    ///
    /// - Parameter umask: that of requests that bring none.
    package static func folderMode(of request: TransferRequest, umask: FileMask) -> UInt32 {
        (request.umask ?? umask).applied(to: request.partialFolder == nil ? 0o777 : 0o700)
    }

    /// The whole path, where the request names the file.
    package static func path(of request: TransferRequest) -> String? {
        guard let name = request.name else { return nil }
        return folder(of: request).appendingPathPart(name.lastPathPart)
    }

    /// The whole path as far as it is known before any answer: an answer may still bring another name.
    package static func likelyPath(of request: TransferRequest) -> String? {
        if let path = path(of: request) { return path }
        guard let url = try? HTTPURL(parsing: request.url) else { return nil }
        let name = FileName.choose(callerName: nil, contentDisposition: nil, originalURL: url, finalURL: url)
        return request.folder.appendingPathPart(name)
    }
}
