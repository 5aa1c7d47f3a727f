// Ferry: FerryURLSession
// What a task carries beyond Apple's URLSession.

import Foundation

/// What a task carries beyond Apple's `URLSession`: plain data that is stored with the task.
struct TaskOptions: Sendable, Codable, Hashable {
    var destination: URLSessionDownloadTask.Destination?
    var expectedDigest: URLSessionDownloadTask.Digest?
    var mirrors: [URL] = []
    var maximumConnections = 1
    var bytesPerSecondLimit: Int64?
    var metadata: [String: String] = [:]
    var retryPolicy: RetryPolicy?
}
