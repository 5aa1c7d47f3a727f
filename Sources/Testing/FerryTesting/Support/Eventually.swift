/// Returns once a condition holds. The limit only turns a hang into a failure.
///
/// For conditions without an event. If there is an event, wait for it instead.
/// - Throws: ``TestingError`` after the limit, `CancellationError` if the caller is canceled.
package func eventually(
    within limit: Duration = .seconds(30), _ what: String = "the condition",
    _ condition: () async throws -> Bool
) async throws {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while try await !condition() {
        guard clock.now < end else { throw TestingError("After \(limit) \(what) does not hold.") }
        try await clock.sleep(for: .milliseconds(5))
    }
}

/// A failure of the testing tools.
package struct TestingError: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
