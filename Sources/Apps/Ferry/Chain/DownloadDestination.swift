public import Foundation
import FoundationNetworking

/// The destination of a file. The daemon moves the file there, even after the app has ended.
public enum DownloadDestination: Hashable, Sendable {
    /// The manager's cache. Without a name it is derived from the URL.
    case cache(fileName: String? = nil)
    /// A file.
    case file(URL)
    /// A folder. The name is the one that the server suggests.
    case directory(URL)
}

extension DownloadRequest {
    /// Returns a destination in one of the user's folders, with the sanitized name that the server suggests.
    ///
    /// Without options: an existing file stays. The folder is created if missing, since it always exists on Apple's
    /// systems.
    public class func suggestedDownloadDestination(
        for directory: FileManager.SearchPathDirectory = .documentDirectory,
        in domain: FileManager.SearchPathDomainMask = .userDomainMask
    ) -> DownloadFileDestination {
        { temporaryURL, response in
            guard let folder = FileManager.default.urls(for: directory, in: domain).first else {
                return (temporaryURL, [])
            }
            try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let url = response.url?.absoluteString ?? temporaryURL.absoluteString
            let name = FileNaming.sanitized(response.suggestedFilename ?? "", url: url)
            return (folder.appendingPathComponent(name, isDirectory: false), [])
        }
    }
}
