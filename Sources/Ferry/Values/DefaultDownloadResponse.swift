// Ferry: Ferry
// What a download of a chain came to.

public import Foundation
public import FoundationNetworking

/// What a download of a chain came to.
public struct DefaultDownloadResponse: Sendable {
    public let request: URLRequest?
    public let response: HTTPURLResponse?
    /// Where the file was before it came to its place; without a destination it stays until the last handler returns.
    public let temporaryURL: URL?
    /// Where the file is; nil if it did not come to a place.
    public let destinationURL: URL?
    public let error: (any Error)?
}
