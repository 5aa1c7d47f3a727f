package import FerryCore

/// One thing that happens in the simulated world; one that does not apply is skipped.
///
/// Transfers are named by the order of their submission, so that a history of fewer steps names the same ones.
package enum Step: Hashable, Sendable {
    // Clients
    case submit(Int, Wanted)
    /// Submits so many that are alike.
    case submitMany(Int, count: Int, Wanted)
    case act(TransferAction, Int)
    case actOnAll(SessionAction, session: Int)
    case change(Int, Change)
    case settings(active: Int, perHost: Int)
    case session(Int, Limits)
    /// Gives a session's transfers an order that begins with this one.
    case order(Int, first: Int)
    case attach(session: Int)
    case leave(session: Int)
    case quit(session: Int)
    /// A client takes what it is told; some read that in the journal.
    case listen(session: Int)
    case acknowledge(session: Int)

    // Attempts
    case progress(Int, Progress)
    case end(Int, Ending)
    /// Callers waiting for the end of an attempt give up.
    case losePatience(Int)

    // The journal
    /// Stores the first of the changes that wait to be stored.
    case commit(Int, Fault?)
    /// Brings what came of a change or a reading.
    case answer(Errand, isFresh: Bool)

    // Surroundings
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
package struct Wanted: Hashable, Sendable {
    package var session = 0
    package var host = 0
    package var isUrgent = false
    package var waitsForNetworks = true
    package var allowsExpensive = true
    package var isPaused = false
    /// Seconds until it may begin.
    package var begins: Double?
    /// Seconds that it may be under way.
    package var timeout: Double?
    /// Seconds until it must have ended.
    package var deadline: Double?
}

/// A change of one transfer.
package enum Change: Hashable, Sendable {
    case priority(isUrgent: Bool)
    case address
    case begins(Double?)
    case network(allowsExpensive: Bool)
}

/// The limits of one session.
package struct Limits: Hashable, Sendable {
    package var active: Int?
    package var perHost: Int?
    package var inOrder = false
    /// Whether its transfers may use expensive networks; nil leaves that to each.
    package var allowsExpensive: Bool?
}

package struct Networks: Hashable, Sendable {
    package var reachable = true
    package var expensive = false
}

/// How an attempt gets on.
package enum Progress: Hashable, Sendable {
    /// Bytes are durable.
    case checkpoint
    /// All bytes are there.
    case whole(inMemory: Bool)
    case slowName
    case foundName
}

/// How an attempt ends, after the error table.
package enum Ending: Hashable, Sendable {
    case success
    /// As it was told.
    case stopped
    case failure(ErrorCode)
    /// The server wants to be asked later.
    case busy(seconds: Int)
    /// The server asks for what the client alone has.
    case challenge
}

/// Why a change is not stored.
package enum Fault: Hashable, Sendable { case noRoom }

/// An operation that waits for the journal.
package enum Errand: Hashable, Sendable {
    case start
    case submission(Int)
    case records
    case lookup(Int)
    case command(Int)
    case change(Int)
    case removal(Int)
    case report(Int)
    case ending(Int)
    case ends
    case checkpoint(Int)
    case forbidden(Int)
    case overdue(Int)
    case dueSoon
    case line
    case settings
    case session(Int)
    case policies(Int)
    case order(Int)
    case many(Int)
    case leftovers
    case registration(Int)
    case news(Int)
    case page(Int)
}

extension Step: CustomStringConvertible {
    /// The step as a test writes it.
    package var description: String {
        var text = ""
        dumpStep(&text)
        return text.replacing("FerrySimulation.", with: "").replacing("FerryCore.", with: "")
    }

    private func dumpStep(_ text: inout String) {
        let mirror = Mirror(reflecting: self)
        guard let (label, value) = mirror.children.first.map({ ($0.label ?? "", $0.value) }) else {
            text += ".terminate"
            return
        }
        let parts = Mirror(reflecting: value)
        guard parts.displayStyle == .tuple else {
            text += ".\(label)(\(String(reflecting: value)))"
            return
        }
        let arguments = parts.children.map { child in
            let isNamed = child.label.map { !$0.hasPrefix(".") } ?? false
            return (isNamed ? "\(child.label ?? ""): " : "") + String(reflecting: child.value)
        }
        text += ".\(label)(\(arguments.joined(separator: ", ")))"
    }
}
