// Samples of the articles "What differs" and "Moving an iOS downloader" of BackgroundURLSession.

import Foundation
import BackgroundURLSession

#if canImport(UIKit)
    import UIKit
#else
    typealias UIApplication = BackgroundApplication
    typealias UIApplicationDelegate = BackgroundApplicationDelegate
#endif

func configure(_ session: URLSession, _ url: URL, _ file: URL) {
    let task = session.downloadTask(with: url)
    task.destination = .init(file, conflictPolicy: .unique)
    task.expectedDigest = .init(.sha256, hex: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08")
    task.resume()
}
