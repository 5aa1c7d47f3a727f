// Ferry: FerryCore
// One transfer as every face shows it.

package import Foundation

/// One transfer as every face shows it.
package struct Transfer: Hashable, Sendable {
    package var id: TransferID
    package var session: SessionID
    /// The URL as submitted, without userinfo.
    package var url: String
    /// Where the redirects led.
    package var finalURL: String?
    package var state: TransferState
    /// Why it waits; nil in every other state.
    package var reason: WaitReason?
    package var priority: Priority
    package var bytesReceived: Int64
    package var bytesExpected: Int64?
    /// Speed over the last seconds; nil unless running.
    package var bytesPerSecond: Double?
    /// Absolute path of the file, or where it will be; nil until its name is known.
    package var destination: String?
    package var folder: String
    package var name: String?
    package var error: TransferError?
    package var attempts: Int
    package var nextTryAt: Date?
    package var createdAt: Date
    /// When its first try began.
    package var startedAt: Date?
    package var finishedAt: Date?
    package var rateLimit: Int64
    package var tags: [String]
    /// Digests that were checked, once it has succeeded.
    package var verified: [Checksum]
    /// Digests of the file whose expected ones disagreed, where that is no failure.
    package var mismatched: [Checksum] = []
    package var lengthVerified: Bool
    /// Whether the file was there already and stayed as it was.
    package var unchanged: Bool
    package var insecure: Bool
    package var etag: String?
    package var lastModified: String?
    package var contentType: String?
    package var redirects: [String]
    package var notes: [String]
    package var method: String
    package var bytesSent: Int64
    package var bytesToSend: Int64?
    package var response: ResponseFacts?
    /// The exchanges with servers so far; only of transfers with a note.
    package var exchanges: [ExchangeFacts]
    /// How often bytes were given up for a start from 0.
    package var startedOver: Int
    /// Body bytes that servers sent for it over its life, including bytes that were fetched again.
    package var bytesSpent: Int64 = 0
    package var challenge: PendingChallenge?
    /// The moment before which nothing is asked.
    package var notBefore: Date?
    package var note: ClientNote?
    /// What each of several connections fetches; empty unless running with more than one.
    package var segments: [TransferSegment] = []
}
