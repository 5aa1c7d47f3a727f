// Ferry: Ferry
// One download of a download manager.

import Synchronization

/// One download of a download manager.
public final class DownloadModel: Sendable {
    private let description = Mutex(DownloadDescModel())

    public init() {}

    /// What is downloaded, and how far it is.
    public var model: DownloadDescModel {
        get { description.withLock { $0 } }
        set { description.withLock { $0 = newValue } }
    }

    /// Where it stands.
    public var states: DownloadState { model.state }
}
