import Foundation
import BackgroundURLSession
class DownloadManager: NSObject, URLSessionDataDelegate {
    static let `default` = DownloadManager()
    private var streams: [Int: OutputStream] = [:]                      // by taskIdentifier
    private lazy var session: URLSession = {
        let configuration = URLSessionConfiguration.background(withIdentifier: "DownloadBackgroundSessionIdentifier")
        let queue = OperationQueue()
        queue.maxConcurrentOperationCount = 1
        return URLSession(configuration: configuration, delegate: self, delegateQueue: queue)
    }()
    func download(url: String, to path: String) {
        let size = FileHandle(forReadingAtPath: path)?.seekToEndOfFile() ?? 0
        var request = URLRequest(url: URL(string: url)!)
        request.cachePolicy = .reloadIgnoringLocalAndRemoteCacheData
        request.setValue("bytes=\(size)-", forHTTPHeaderField: "Range")
        let task = session.dataTask(with: request)
        streams[task.taskIdentifier] = OutputStream(toFileAtPath: path, append: true)
        task.resume()
    }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse, completionHandler: @escaping (URLSession.ResponseDisposition) -> Void) {
        streams[dataTask.taskIdentifier]?.open()
        completionHandler(.allow)
    }
    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        _ = streams[dataTask.taskIdentifier]?.write([UInt8](data), maxLength: data.count)
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        if let error = error { debugPrint("failed", error) } else { debugPrint("finished") }
        streams.removeValue(forKey: task.taskIdentifier)?.close()
    }
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {}
}
