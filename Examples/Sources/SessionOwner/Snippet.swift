import Foundation
import BackgroundURLSession
final class SessionDelegate: NSObject, URLSessionDownloadDelegate, @unchecked Sendable {
    var sessionDidFinishEventsForBackgroundURLSession: ((URLSession) -> Void)?
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        let directory = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
        try? FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        try? FileManager.default.moveItem(at: location, to: directory.appendingPathComponent(downloadTask.response?.suggestedFilename ?? "file"))
    }
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64, totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64) { print(downloadTask.progress.fractionCompleted) }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) { print("completed", error as Any) }
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { sessionDidFinishEventsForBackgroundURLSession?(session) }
}
final class Manager: @unchecked Sendable {
    let session: URLSession
    var backgroundCompletionHandler: (() -> Void)?
    init(configuration: URLSessionConfiguration = .default, delegate: SessionDelegate = SessionDelegate()) {
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        delegate.sessionDidFinishEventsForBackgroundURLSession = { [weak self] _ in
            guard let strongSelf = self else { return }
            DispatchQueue.main.async { strongSelf.backgroundCompletionHandler?() }
        }
    }
    deinit { session.invalidateAndCancel() }
    func download(_ url: URL) { session.downloadTask(with: url).resume() }
}
let backgroundManager = Manager(configuration: .background(withIdentifier: "com.example.manager"))
func downloadBackground(_ url: URL) { backgroundManager.download(url) }
func downloadAndForget(_ url: URL) { Manager(configuration: .background(withIdentifier: "com.example.local")).download(url) }
