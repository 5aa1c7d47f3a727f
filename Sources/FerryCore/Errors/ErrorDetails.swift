// Ferry: FerryCore
// The facts that go with an error.

package import Foundation

/// The facts that go with an error, for programs; the sentence is for people.
package struct ErrorDetails: Hashable, Codable, Sendable {
    /// Status of the response that failed the transfer.
    package var httpStatus: Int?
    /// First bytes of that response's body, as text.
    package var body: String?
    /// The system's error number.
    package var errno: Int32?
    /// Foundation's code where the cause decides it (which certificate fault, which redirect).
    package var urlError: Int?
    /// How many tries have failed since the limits last started.
    package var attempts: Int?
    package var nextTryAt: Date?
    /// The URL, without userinfo and query values.
    package var url: String?

    /// The digest that the file should have.
    package var expected: Checksum?
    /// The digest that it has.
    package var actual: Checksum?

    /// Which of the transfer's own rules forbids the network: `cellular`, `expensive` or `constrained`.
    package var network: WaitReason?
    /// Why a background transfer was canceled by others than its client; 0 is the user's force-quit.
    package var cancelReason: Int?

    /// Bytes that are needed, and those that are free, where a file is known not to fit.
    package var required: Int64?
    package var available: Int64?

    package init(
        httpStatus: Int? = nil, body: String? = nil, errno: Int32? = nil, urlError: Int? = nil, url: String? = nil
    ) {
        self.httpStatus = httpStatus
        self.body = body
        self.errno = errno
        self.urlError = urlError
        self.url = url
    }

    package var isEmpty: Bool { self == ErrorDetails() }

    enum CodingKeys: String, CodingKey {
        case httpStatus = "http_status"
        case body, errno, attempts, url, network, expected, actual, required, available
        case cancelReason = "cancel_reason"
        case urlError = "url_error"
        case nextTryAt = "next_try_at"
    }
}
