// The session's delegate, which moves each file to its destination.

import BackgroundURLSession

/// Moves each finished file into a folder and prints the progress of the others.
final class FileKeeper: NSObject, URLSessionDownloadDelegate, Sendable {
    private let folder: URL

    init(folder: URL) { self.folder = folder }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        let name = downloadTask.response?.suggestedFilename ?? location.lastPathComponent
        let target = folder.appendingPathComponent(name)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try? FileManager.default.removeItem(at: target)
            try FileManager.default.moveItem(at: location, to: target)
            Output.say("\(downloadTask.taskDescription ?? name) is at \(target.path).")
        } catch {
            Output.say("\(name) cannot be moved: \(error)")
        }
    }

    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
        totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
    ) {
        guard totalBytesExpectedToWrite > 0 else { return }
        Output.say("\(downloadTask.taskDescription ?? ""): \(totalBytesWritten * 100 / totalBytesExpectedToWrite) %")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error { Output.say("\(task.taskDescription ?? ""): \(error.localizedDescription)") }
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        let identifier = session.configuration.identifier ?? ""
        Output.say("Everything is there.")
        DispatchQueue.main.async { FileKeeper.finish(identifier) }
    }

    // MARK: Completion handlers

    @MainActor private static var handlers: [String: () -> Void] = [:]

    /// Stores a handler to call once the session's events have been delivered.
    @MainActor static func whenDone(with identifier: String, _ handler: @escaping () -> Void) {
        handlers[identifier] = handler
    }

    @MainActor private static func finish(_ identifier: String) { handlers.removeValue(forKey: identifier)?() }
}
