// Ferry: FerryURLSession
// What a task is made to do.

import Foundation
import FoundationNetworking

/// What a task is made to do.
enum TaskWork: Sendable {
    case data(URLRequest)
    case download(URLRequest)
    case downloadContinuing(ResumeData)
    case upload(URLRequest, UploadBody)
    /// Can never be done: the task ends with this error once it is resumed.
    case impossible(URLError)

    var request: URLRequest? {
        switch self {
        case .data(let request), .download(let request), .upload(let request, _): request
        case .downloadContinuing(let data): data.originalRequest
        case .impossible: nil
        }
    }
}

/// What an upload sends.
enum UploadBody: Sendable {
    case bytes(Data)
    case file(URL)
    /// A stream that the delegate gives.
    case stream
}
