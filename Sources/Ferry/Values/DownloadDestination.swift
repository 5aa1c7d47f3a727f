// Ferry: Ferry
// Where a file goes.

public import Foundation

/// Where a file goes; the daemon brings it there, also when the app is gone.
public enum DownloadDestination: Hashable, Sendable {
    /// The manager's cache; without a name one that is made of the URL.
    case cache(fileName: String? = nil)
    /// This file.
    case file(URL)
    /// This folder, with the name that the server suggests.
    case directory(URL)
}
