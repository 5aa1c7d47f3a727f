// Samples of the articles that introduce BackgroundURLSession.

import BackgroundURLSession

func begin(_ delegate: any URLSessionDelegate, _ url: URL) {
    let configuration = URLSessionConfiguration.background(withIdentifier: "downloads")
    let session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    session.downloadTask(with: url).resume()
}

func waitForFile(_ url: URL, _ destination: URL) async throws {
    let (file, response) = try await URLSession.shared.download(from: url)
    try FileManager.default.moveItem(at: file, to: destination)
    print(response.expectedContentLength)
}

final class Watch: NSObject, URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, didCreateTask task: URLSessionTask) {
        Task {
            while task.state != .completed {
                print("\(Int(task.progress.fractionCompleted * 100)) %")
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
    }
}

func watchFile(_ url: URL) async throws -> URL {
    let (file, _) = try await URLSession.shared.download(from: url, delegate: Watch())
    return file
}

func destination(of task: URLSessionDownloadTask) -> URL {
    URL(fileURLWithPath: task.response?.suggestedFilename ?? "file")
}

final class Files: NSObject, URLSessionDownloadDelegate, Sendable {
    func urlSession(
        _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
        // The file is there until this method returns.
        try? FileManager.default.moveItem(at: location, to: destination(of: downloadTask))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        if let error { print(error) }
    }
}

func leave(_ url: URL) {
    let session = URLSession(
        configuration: .background(withIdentifier: "downloads"), delegate: Files(), delegateQueue: nil)
    session.downloadTask(with: url).resume()
}

final class AppDelegate: BackgroundApplicationDelegate {
    func application(
        _ application: BackgroundApplication,
        didFinishLaunchingWithOptions launchOptions: [BackgroundApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        try? application.registerLaunchCommand(["/usr/bin/my-app"])
        return true
    }

    func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        // Open the session; call the handler after its urlSessionDidFinishEvents.
    }
}

@MainActor func run() -> Never {
    BackgroundApplication.shared.run(delegate: AppDelegate())
}
