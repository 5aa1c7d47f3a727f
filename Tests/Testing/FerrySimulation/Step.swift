package import FerryCore

/// A call of a client, a fault, or a change of a machine's surroundings. One that does not apply is skipped.
///
/// Transfers are named by the order of their submission, so that a history with fewer steps names the same ones.
package enum Step: Hashable, Codable, Sendable {
    // Clients
    case submit(Int, Wanted)
    /// Submits similar requests in one batch.
    case submitBatch(Int, count: Int, Wanted)
    /// Submits similar requests as a list of URLs.
    case submitList(Int, count: Int, Wanted)
    case act(TransferAction, [Int])
    case actOnAll(SessionAction, session: Int)
    case change(Int, Change)
    case settings(active: Int, perHost: Int)
    case session(Int, Limits)
    /// Gives a session's transfers an order that begins with this one.
    case order(Int, first: Int)
    /// Lists a session's transfers.
    case list(session: Int)
    /// Answers the challenges of all transfers that wait for one.
    case answerChallenges
    case quit(session: Int)

    // Listeners
    /// Follows a session's events from the last one that its client has.
    case listen(session: Int, isSlow: Bool)
    case attach(session: Int, isSlow: Bool)
    /// Ends the readers of a session's events.
    case leave(session: Int)
    case acknowledge(session: Int)
    /// Connects an app's run loop.
    case connect(session: Int)
    case registerLaunch(session: Int)

    // Faults and surroundings
    /// The next commits find no room on the disk.
    case fillDisk(commits: Int)
    /// The journal fails for good. The process ends and is started again.
    case breakJournal
    case pass(seconds: Double)
    case setWallClock(by: Double)
    case networks(Networks)
    case folders(answer: Bool)
    /// SIGKILL, and another start.
    case kill(reboots: Bool)
    /// The process is asked to end, and is started again once it has.
    case terminate
}

/// A client's request.
package struct Wanted: Hashable, Codable, Sendable {
    package var session = 0
    package var host = 0
    package var isUrgent = false
    package var waitsForNetworks = true
    package var allowsExpensive = true
    package var isPaused = false
    /// Seconds until it may begin.
    package var begins: Double?
    /// Seconds that it may be active.
    package var timeout: Double?
    /// Seconds until it must have ended.
    package var deadline: Double?
}

/// A change of one transfer.
package enum Change: Hashable, Codable, Sendable {
    case priority(isUrgent: Bool)
    case address
    case begins(Double?)
    case network(allowsExpensive: Bool)
}

/// The limits of one session.
package struct Limits: Hashable, Codable, Sendable {
    package var active: Int?
    package var perHost: Int?
    package var inOrder = false
    /// Whether its transfers may use expensive networks. `nil` leaves that to each.
    package var allowsExpensive: Bool?
}

package struct Networks: Hashable, Codable, Sendable {
    package var reachable = true
    package var expensive = false
}

/// A step, and the scheduler's steps before it.
package struct TimedStep: Hashable, Codable, Sendable {
    package var after: Int
    package var step: Step
}
