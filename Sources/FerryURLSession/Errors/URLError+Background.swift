// Ferry: FerryURLSession
// What an error says of background transfers.

public import Foundation

extension URLError {
    /// Why a background task was canceled by others than the app.
    public enum BackgroundTaskCancelledReason: Int, Sendable {
        case userForceQuitApplication
        case backgroundUpdatesDisabled
        case insufficientSystemResources
    }

    /// Which of the task's own rules forbids the network.
    public enum NetworkUnavailableReason: Int, Sendable { case cellular, expensive, constrained }

    public var backgroundTaskCancelledReason: BackgroundTaskCancelledReason? {
        (userInfo[backgroundTaskCancelledReasonKey] as? Int).flatMap(BackgroundTaskCancelledReason.init)
    }

    public var networkUnavailableReason: NetworkUnavailableReason? {
        (userInfo[NSURLErrorNetworkUnavailableReasonKey] as? Int).flatMap(NetworkUnavailableReason.init)
    }

    /// What a later download task needs to continue.
    public var downloadTaskResumeData: Data? { userInfo[NSURLSessionDownloadTaskResumeData] as? Data }

    /// Always nil: resumable uploads are not offered.
    public var uploadTaskResumeData: Data? { userInfo[NSURLSessionUploadTaskResumeData] as? Data }
}
