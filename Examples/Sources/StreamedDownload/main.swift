// Appends the contents of a URL to a file, starting at the file's current size.
// Usage: StreamedDownload URL FILE

import BackgroundURLSession

final class Watched: DownloadManager {
    override func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        super.urlSession(session, task: task, didCompleteWithError: error)
        // A task of an earlier process. If that process ended too soon after the task, the delegate receives its
        // completion again.
        if (error as? URLError)?.code == .backgroundSessionWasDisconnected { return }
        print(error.map { "failed \(($0 as NSError).code)" } ?? "finished")
        DispatchQueue.main.async { exit(error == nil ? 0 : 1) }
    }
}

guard CommandLine.arguments.count == 3 else {
    print("usage: StreamedDownload URL FILE")
    exit(64)
}
setvbuf(stdout, nil, _IOLBF, 0)
let manager = Watched()
manager.download(url: CommandLine.arguments[1], to: CommandLine.arguments[2])
RunLoop.main.run()
