// Ferry: FerryURLSession
// Something that the delegate is still to be told.

import FerryCore
import Foundation
import FoundationNetworking

/// Something that happened to a task and that its delegate is still to be told.
enum RelayStep: Sendable {
    case sent(total: Int64, expected: Int64)
    case wrote(total: Int64, expected: Int64)
    case resumed(offset: Int64, expected: Int64)
    case informational(HTTPURLResponse)
    case waitsForConnectivity
    case waiting(WaitingReason?)
    /// Work that somebody waits for.
    case work(@Sendable () async -> Void)

    /// The step that says as much as this one and a later one; nil if both must be told.
    func merged(with later: RelayStep) -> RelayStep? {
        switch (self, later) {
        case (.sent, .sent), (.wrote, .wrote): later
        default: nil
        }
    }
}
