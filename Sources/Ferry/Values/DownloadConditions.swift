public import Foundation

/// What has to be so that a download runs, besides its turn; while it is not so, the download waits with its reason.
public struct DownloadConditions: Hashable, Sendable {
    /// The moment before which nothing is asked.
    public var notBefore: Date?
    /// Whether it runs only on external power and on a network that is not expensive.
    public var isDiscretionary = false

    public init() {}
}
