// The app: one background session, with a folder for its files.

import BackgroundURLSession

/// Downloads URLs into a folder, even while it does not run.
@MainActor final class Downloader: BackgroundApplicationDelegate {
    private let settings = Settings()
    private var session: URLSession?

    func application(
        _ application: BackgroundApplication,
        didFinishLaunchingWithOptions launchOptions: [BackgroundApplication.LaunchOptionsKey: Any]?
    ) -> Bool {
        // Created again at every start. It is the same session, and its delegate receives the events since the last
        // run.
        let session = URLSession(
            configuration: .background(withIdentifier: "downloads"), delegate: FileKeeper(folder: settings.folder),
            delegateQueue: nil)
        self.session = session
        guard application.applicationState == .active else {
            Output.say("The daemon has started this app to take its files.")
            return true
        }
        do {
            try application.registerLaunchCommand(settings.launchCommand, environment: settings.launchEnvironment)
        } catch {
            Output.say("The app will not be started again: \(error)")
        }
        for url in settings.urls {
            let task = session.downloadTask(with: url)
            task.taskDescription = url.lastPathComponent
            task.resume()
            Output.say("Downloading \(url.absoluteString). Kill this app, process \(getpid()): the file will come.")
        }
        return true
    }

    func application(
        _ application: BackgroundApplication, handleEventsForBackgroundURLSession identifier: String,
        completionHandler: @escaping () -> Void
    ) {
        FileKeeper.whenDone(with: identifier, completionHandler)
    }
}
