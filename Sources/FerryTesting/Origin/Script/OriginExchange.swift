// Ferry: FerryTesting
// What the origin knows when it plans an answer.

/// One request and what the origin knows of those before it.
package struct OriginExchange: Sendable {
    package var request: RecordedRequest
    /// 1 for the first request since the script was set.
    package var number: Int
    /// 1 for the first request for this path since the script was set.
    package var pathNumber: Int
    /// Responses under way, this one included.
    package var activeResponses: Int
    /// Seconds since 1970.
    package var now: Int64

    package init(request: RecordedRequest, number: Int, pathNumber: Int, activeResponses: Int, now: Int64) {
        self.request = request
        self.number = number
        self.pathNumber = pathNumber
        self.activeResponses = activeResponses
        self.now = now
    }
}
