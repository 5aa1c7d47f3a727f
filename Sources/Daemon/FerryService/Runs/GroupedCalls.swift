import FerryCore
import FerryQueue

/// Calls that are performed together. Those that arrive while a group is performed form the next group.
///
/// The owner performs the groups.
struct GroupedCalls<Input: Sendable, Output: Sendable> {
    typealias Answer = Result<Output, ServiceError>

    struct Call {
        let input: Input
        let continuation: CheckedContinuation<Answer, Never>
    }

    private(set) var waiting: [Call] = []
    private(set) var isPerforming = false

    /// Adds a call.
    ///
    /// - Returns: Whether the caller is to begin performing groups.
    mutating func add(_ input: Input, _ continuation: CheckedContinuation<Answer, Never>) -> Bool {
        waiting.append(Call(input: input, continuation: continuation))
        guard !isPerforming else { return false }
        isPerforming = true
        return true
    }

    /// Removes and returns the next group. `nil` if no calls are left: performing groups has ended.
    mutating func next() -> [Call]? {
        guard !waiting.isEmpty else {
            isPerforming = false
            return nil
        }
        defer { waiting = [] }
        return waiting
    }
}
