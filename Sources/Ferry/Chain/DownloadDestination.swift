public import Foundation
import FoundationNetworking

/// Where a file goes; the daemon brings it there, also when the app is gone.
public enum DownloadDestination: Hashable, Sendable {
    /// The manager's cache; without a name one that is made of the URL.
    case cache(fileName: String? = nil)
    /// This file.
    case file(URL)
    /// This folder, with the name that the server suggests.
    case directory(URL)
}

extension DownloadRequest {
    /// A destination in one of the user's folders, under the name that the server suggests, made harmless.
    ///
    /// It has no options: a file that is there stays. The folder is created where it is missing, as Apple's systems always
    /// have it.
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
