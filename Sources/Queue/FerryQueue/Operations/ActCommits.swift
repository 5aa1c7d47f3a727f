import FerryCore

/// The transfers for which an action is to commit its command.
///
/// A transfer with another commit in progress, or with a run that must end first, is committed in a later transaction.
struct ActCommits: Sendable {
    /// Transfers to commit now.
    private(set) var left: [TransferID]
    /// Transfers on which other commits are in progress.
    private(set) var blocked: [TransferID] = []
    /// Transfers that can start once their runs have ended.
    private(set) var postponed: [TransferID] = []

    init(_ ids: [TransferID]) { left = ids }

    var areDone: Bool { left.isEmpty && blocked.isEmpty && postponed.isEmpty }

    /// Sets aside the transfers with another commit in progress.
    ///
    /// - Returns: The transfers to commit now.
    mutating func begin(besides held: HeldTransfers) -> [TransferID] {
        blocked = left.filter { held.contains($0, for: .commit) }
        if !blocked.isEmpty { left.removeAll { held.contains($0, for: .commit) } }
        return left
    }

    /// Ends the current commit, with the transfers that it postponed.
    mutating func end(postponing ids: [TransferID] = []) {
        left = []
        postponed += ids
    }

    /// Removes transfers whose outcomes have been stored instead.
    mutating func remove(_ ids: Set<TransferID>) { left.removeAll(where: ids.contains) }

    /// Gives up the whole action.
    mutating func giveUp() { (left, blocked, postponed) = ([], [], []) }

    /// Prepares the commit for the transfers that were set aside. Blocked ones come first.
    ///
    /// - Returns: The postponed transfers whose runs have not ended. They are given up.
    mutating func again(isBusy: (TransferID) -> Bool) -> [TransferID] {
        guard blocked.isEmpty else {
            (left, blocked) = (blocked, [])
            return []
        }
        defer { postponed = [] }
        left = postponed.filter { !isBusy($0) }
        return postponed.filter(isBusy)
    }
}
