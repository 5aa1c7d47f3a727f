import FerryCore

/// A deliberate mistake, as one may be made in the service or in the queue.
///
/// A test says which of them the laws find, and with which seeds. Others need a rarer history, or the journal's
/// revisions make up
/// for them.
package enum Mistake: String, CaseIterable, Sendable {
    // WaitingTransfers and slots
    /// A paused transfer stays in its line.
    case startsWhatIsPaused
    /// The slots of paused transfers are not told that no attempt follows.
    case forgetsAStop
    /// A transfer that runs is put in line.
    case linesUpWhatRuns
    /// A transfer that waits for its next attempt is forgotten.
    case losesADelay
    /// Free slots are not looked at after each change.
    case leavesASlotIdle
    /// The queue counts with one slot more than the settings say.
    case startsTooMany
    /// The end of an attempt that no other follows is not told to the queue.
    case losesAnEnd
    /// A name or an address that a running transfer got is not told to the queue.
    case forgetsChangesOfWhatRuns
    /// A transfer with another priority stays in its old line.
    case leavesTheOldLine
    /// The attempt of a transfer that was paused before it had a run is made all the same.
    case beginsWhatIsToStop
    /// Runs are not told to stop.
    case ignoresStops
    /// That all bytes of a transfer are there is not told to the queue.
    case forgetsWhatIsWhole
    /// Many transfers are paused, and stay in their lines.
    case pausesManyInTheirLines
    /// Transfers removed from their queue for a failed removal are not restored.
    case losesWhatCannotBeRemoved

    // The backlog
    /// The last transfer of each page of a line is dropped.
    case losesTheEndOfALine
    /// Transfers that are acted upon are put in line when their line is read.
    case linesUpWhatIsActedUpon
    /// The queue is not told when an action on a transfer ends.
    case forgetsTheEndsOfTurns

    // Time
    /// Alarms go by the wall clock.
    case setsAlarmsByTheWallClock
    /// The deadline of a transfer is not told to the queue when it is lined up.
    case forgetsDeadlines
    /// The moment before which a transfer must not begin is not told to the queue.
    case forgetsBeginDates
    /// The deadline of a resumed transfer is not told to the queue.
    case forgetsDeadlinesOfTheResumed
    /// An alarm that rings too early is not set again.
    case ringsOnce
    /// An alarm that rings while its transfer is acted upon is forgotten.
    case forgetsWhatRingsDuringATurn
    /// Transfers whose time passes soon are read, and get no alarms.
    case looksAheadInVain
    /// A transfer whose end cannot be stored, as the disk is full, is not put back in line.
    case losesWhatCannotEnd
    /// A resumed transfer waits on for its retry.
    case resumesAfterTheDelay

    // Networks and servers
    /// Runs go on against the networks.
    case ignoresTheNetwork
    /// The conditions that transfers depend on are not watched.
    case watchesNothing
    /// A changed network policy of a session is not told to its waiting transfers.
    case ignoresPoliciesOfSessions
    /// A server holds its origin for as long as it likes.
    case holdsForADay
    /// An origin stays held when the transfer has ended that was told so.
    case holdsForTheDead
    /// A resumed transfer still waits for its origin.
    case keepsHoldsOfTheResumed

    // Ends
    /// Facts from an attempt overwrite changes made by clients meanwhile.
    case storesWhatOthersHaveChanged
    /// The next attempt is decided from the record at the attempt's start.
    case settlesFromTheFirstRecord
    /// An attempt whose end cannot be stored, as the disk is full, is followed by no other.
    case losesWhatHasNoRoom
    /// An end is stored for a transfer that has ended.
    case endsWhatHasEnded
    /// A record that was read ahead is used after its transfer has ended.
    case takesOldRecordsAhead
    /// Transfers are started although their old runs have not ended.
    case startsBesideOldRuns
    /// An action goes on before the run that it stops has ended.
    case waitsForNoStop
    /// Rows of transfers that are writing are removed at once.
    case removesWhatIsWriting
    /// A pause or a cancel takes a removal back.
    case takesRemovalsBack
    /// An action does not wait for another one on the same transfer.
    case actsWithoutATurn

    // Answers
    /// A submission is answered before it is stored.
    case answersBeforeTheCommit
    /// A submission that could not be stored is answered as one that was.
    case takesAFullDiskForSuccess
    /// A change of the settings is answered before it is stored.
    case answersSettingsBeforeTheCommit

    // Events
    /// Some events are told twice.
    case tellsTwice
    /// The event of a pause is told once the run has stopped, and all later events with it.
    case tellsAPauseOnceItHasStopped
    /// The event of a pause is never told.
    case keepsPausesToItself
    /// A client that comes back is told of what happens from then on.
    case listensFromNow
    /// An acknowledgement lets an event go that its client has not taken.
    case letsGoOfTooManyEvents
    /// A start counts the events anew.
    case countsEventsAnew

    // Starts and ends of the process
    /// A start fails while a folder with something left does not answer.
    case needsFoldersToStart
    /// A start takes up only transfers that wait for no moment.
    case forgetsWhatIsTimed
    /// A start takes up paused transfers.
    case takesUpWhatRests
    /// A start forgets the settings.
    case forgetsSettings
    /// A start forgets the settings of sessions.
    case forgetsSettingsOfSessions
    /// A start forgets the orders of sessions.
    case forgetsOrders
    /// Transfers with a slot and without a run are not stopped when the process ends.
    case stopsOnlyWhatHasARun
    /// Slots are given away while the process ends.
    case startsWhileItEnds

    // Turns and rows
    /// A wish is stored whatever row it was decided from.
    case decidesOnOldRows
    /// An action on many transfers waits for no action on one of them.
    case actsOnManyWithoutTurns

    /// A transfer as the queue is told of it.
    func altering(_ pending: PendingTransfer) -> PendingTransfer {
        guard self == .forgetsDeadlines || self == .forgetsBeginDates else { return pending }
        return PendingTransfer(
            id: pending.id, session: pending.session, origin: pending.origin, priority: pending.priority,
            network: pending.network, retry: pending.retry,
            notBefore: self == .forgetsBeginDates ? nil : pending.notBefore,
            due: self == .forgetsDeadlines ? nil : pending.due, startsAfterRelaunch: pending.startsAfterRelaunch)
    }
}
