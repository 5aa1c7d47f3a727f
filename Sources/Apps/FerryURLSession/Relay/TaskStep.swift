import FerryCore
import Foundation
import FoundationNetworking

/// A change of a task that its app sees: in the task's properties, by a call of the delegate, or both.
enum TaskStep: Hashable, Sendable {
    case request(url: String, method: String?)
    case response(ResponseFacts)
    case sent(total: Int64, expected: Int64)
    case wrote(total: Int64, expected: Int64)
    case resumed(offset: Int64, expected: Int64)
    case informational(HTTPURLResponse)
    case waitsForConnectivity
    case waiting(WaitingReason?)

    /// Returns the step that replaces this one and a later one; nil if both must be delivered.
    func merged(with later: TaskStep) -> TaskStep? {
        switch (self, later) {
        case (.sent, .sent), (.wrote, .wrote): later
        default: nil
        }
    }
}
