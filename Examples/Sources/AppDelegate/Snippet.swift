import Foundation
import BackgroundURLSession
#if canImport(UIKit)
import UIKit
#else
typealias UIApplication = BackgroundApplication
typealias UIApplicationDelegate = BackgroundApplicationDelegate
#endif
let completionHandlerNotification = Notification.Name("completionHandlerNotification")
class AppDelegate: NSObject, UIApplicationDelegate {
    var completionHandlerDictionary: [String: () -> Void] = [:]
    func application(_ application: UIApplication, didFinishLaunchingWithOptions launchOptions: [UIApplication.LaunchOptionsKey: Any]?) -> Bool {
        _ = SessionManager.shareSession.backgroundSession
        _ = NotificationCenter.default.addObserver(forName: completionHandlerNotification, object: nil, queue: .main) { notification in
            guard let identifier = notification.userInfo?["downloadID"] as? String else { return }
            MainActor.assumeIsolated { let completionHandler = self.completionHandlerDictionary.removeValue(forKey: identifier); completionHandler?() }
        }
        return true
    }
    func application(_ application: UIApplication, handleEventsForBackgroundURLSession identifier: String, completionHandler: @escaping () -> Void) {
        print("Rejoining session with identifier", identifier, SessionManager.shareSession.backgroundSession)
        if completionHandlerDictionary[identifier] != nil { print("Error: Got multiple handlers for a single session identifier.") }
        completionHandlerDictionary[identifier] = completionHandler
    }
}
class SessionManager: NSObject, URLSessionDownloadDelegate {
    static let shareSession = SessionManager()
    var resumeData: Data?
    private(set) lazy var backgroundSession = URLSession(configuration: .background(withIdentifier: "com.example.background"), delegate: self, delegateQueue: nil)
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        let name = downloadTask.response?.suggestedFilename ?? location.lastPathComponent
        try? FileManager.default.moveItem(at: location, to: URL(fileURLWithPath: NSHomeDirectory()).appendingPathComponent(name))
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        guard let error = error else { print("download finished"); return }
        if let data = (error as NSError).userInfo[NSURLSessionDownloadTaskResumeData] as? Data { resumeData = data }
    }
    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
        NotificationCenter.default.post(name: completionHandlerNotification, object: nil, userInfo: ["downloadID": session.configuration.identifier ?? ""])
    }
}
