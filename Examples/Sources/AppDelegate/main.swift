// An app that downloads URLs into its home folder. The daemon launches it when the downloads have finished.
// Usage: AppDelegate URL…
// Without arguments, it only continues the downloads of its session.

import BackgroundURLSession

final class DownloadingDelegate: AppDelegate {
    override func application(
        _ application: UIApplication,
        didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        let isReady = super.application(application, didFinishLaunchingWithOptions: launchOptions)
        do {
            // The daemon has a different environment, so the variables that this app needs are passed on.
            let environment = ProcessInfo.processInfo.environment.filter { names.contains($0.key) }
            try application.registerLaunchCommand([executable], environment: environment)
        } catch {
            print("no launch command:", error)
        }
        for text in CommandLine.arguments.dropFirst() {
            guard let url = URL(string: text) else { continue }
            SessionManager.shareSession.backgroundSession.downloadTask(with: url).resume()
        }
        print("launched", application.applicationState == .background ? "in the background" : "by its user")
        return isReady
    }

    override func application(
        _ application: UIApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        super.application(application, handleEventsForBackgroundURLSession: identifier) {
            print("completion handler called")
            completionHandler()
        }
    }
}

/// Variables for the home folder, also used by Foundation, and for the output of a process without a terminal.
let names: Set = ["HOME", "CFFIXED_USER_HOME", "OUTPUT"]
let executable =
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
let output = ProcessInfo.processInfo.environment["OUTPUT"].flatMap { $0.isEmpty ? nil : $0 }
// A process launched by the daemon shares the daemon's standard output.
if let output = output { freopen(output, "a", stdout) }
setvbuf(stdout, nil, _IOLBF, 0)
BackgroundApplication.shared.run(delegate: DownloadingDelegate())
