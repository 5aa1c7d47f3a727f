// Ferry: FerryTesting
// What has happened at an origin so far.

/// What an origin has seen and done since it started.
package struct OriginFacts: Sendable {
    /// The requests in the order in which they arrived.
    package var requests: [RecordedRequest] = []
    /// Body bytes handed to the kernel for each request, in the order of `requests`.
    package var bytesSentByRequest: [Int64] = []
    /// Connections accepted.
    package var connections = 0
    package var openConnections = 0
    /// Requests whose answer is under way.
    package var activeResponses = 0
    /// The largest number of answers that were under way at once.
    package var mostActiveResponses = 0
    /// Names at which a response waits.
    package var held: [String] = []

    /// Body bytes handed to the kernel, over all responses.
    package var bytesSent: Int64 = 0
}
