// Ferry: FerryCore
// What became of requests, and where their events begin.

/// What became of requests, and after which durable event those of their transfers come.
package struct NumberedResults: Sendable {
    /// One for each request, in order.
    package var results: [SubmissionResult]
    /// Number of a durable event before all of these transfers; nil if it is not known.
    package var after: Int64?

    package init(results: [SubmissionResult], after: Int64?) {
        self.results = results
        self.after = after
    }
}
