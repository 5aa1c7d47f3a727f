import Foundation
import BackgroundURLSession
class Downloader: NSObject, URLSessionDownloadDelegate {
    private var resumeData: Data?
    private var downloadTask: URLSessionDownloadTask?
    private lazy var urlSession: URLSession = {
        let config = URLSessionConfiguration.background(withIdentifier: "MySession")
        config.isDiscretionary = true
        config.sessionSendsLaunchEvents = true
        return URLSession(configuration: config, delegate: self, delegateQueue: nil)
    }()
    func start(_ url: URL) { run(urlSession.downloadTask(with: url)) }
    func pause() {
        downloadTask?.cancel { resumeDataOrNil in
            guard let resumeData = resumeDataOrNil else { return }      // nil: the download cannot be resumed
            self.resumeData = resumeData
        }
    }
    func resume() { if let resumeData = resumeData { run(urlSession.downloadTask(withResumeData: resumeData)) } }
    private func run(_ task: URLSessionDownloadTask) { task.resume(); downloadTask = task }
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        try? FileManager.default.moveItem(at: location, to: URL(fileURLWithPath: "download.bin"))
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        guard let error = error else { return }                         // success
        if let resumeData = (error as NSError).userInfo[NSURLSessionDownloadTaskResumeData] as? Data { self.resumeData = resumeData }
    }
}
