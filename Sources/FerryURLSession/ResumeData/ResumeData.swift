// Ferry: FerryURLSession
// What a download needs to go on in another task.

import FerryCore
import Foundation
import FoundationNetworking

/// What a download needs to go on in another task, process or session: a property list with Apple's keys, and Ferry's.
///
/// As secret as the request, whose fields it holds.
struct ResumeData: Equatable, Sendable {
    /// Where the partial file is.
    enum Directory: String, Sendable {
        /// The daemon's spool.
        case spool
        /// That of the apps' own downloads.
        case temporary
    }

    var fileName: String
    var directory: Directory
    var received: Int64
    /// -1 while it is not known.
    var expectedLength: Int64
    var entityTag: String?
    var serverDate: String?
    /// The `Date` field of the response, which says whether ``serverDate`` is a strong validator.
    var responseDate: String?
    var originalRequest: URLRequest
    var currentRequest: URLRequest
    var description: String?
    var priority: Float
    var options: TaskOptions?

    /// The version of the format that is written, and the only one that is read.
    static let format = 1
    /// The version of Apple's format whose keys are there.
    static let appleVersion = 4
}
