import FerryCore
import Foundation

/// Something that has happened, for the queue to decide what follows.
enum Input: Sendable {
    // MARK: The service

    /// Something may have freed a slot, or made a transfer eligible.
    case schedule
    /// It is time for the look that was planned.
    case deferredSchedule
    /// The next alarm is due.
    case alarm
    /// An alarm is to ring for the service.
    case plan(Alarm)
    /// The service is about to end: nothing begins any more, and what runs stops.
    case end

    // MARK: Settings

    /// The settings of sessions as an earlier process has stored them.
    case recovered([(id: SessionID, settings: SessionSettings)])
    /// The settings of all were stored, with what is known of networks and power.
    case settings(ServiceSettings, ConditionReport)
    /// What is known of networks and power has changed.
    case conditions(ConditionReport)
    /// A request that is no transfer depends on networks and power, as transfers with this key do.
    case dependent(QueueKey)
    /// The settings of a session were stored.
    case session(SessionID, SessionSettings)
    /// A process has opened a session, and says something about its connections.
    case attached(SessionAttachment, SessionID)
    /// The network policies that the requests of a session's waiting transfers have themselves.
    case policies([TransferID: NetworkPolicy], SessionID)
    /// The order of a session's transfers was stored.
    case order(SessionID, [TransferID])
    /// The delay after an app's launches has changed.
    case relaunchDelay(of: String)
    /// Something has happened to an app.
    case app(AppInput)

    // MARK: Transfers that wait

    /// Transfers are to run, as the journal knows them, with the times that bound them.
    case pending([PendingTransfer])
    /// A transfer is to run.
    case eligible(Eligible)
    /// The first transfers of each line of the journal were read, at the start.
    case stored([(line: StoredQueueKey, ids: [TransferID])])
    /// A long list was stored.
    case listed(List)
    /// The transfers that ``Effect/readOn(_:)`` asks for were read; some are being acted upon.
    case read(Backlog<StoredQueueKey>.Reading, [TransferID], busy: Set<TransferID>)
    /// The transfers that ``Effect/readOn(_:)`` asks for could not be read.
    case readingFailed
    /// Transfers that have a place in their session's order are about to be read.
    case ordering(SessionID)
    /// They were read; some are being acted upon. None were if the reading failed.
    case ordered([PendingTransfer], SessionID, busy: Set<TransferID>)

    // MARK: Wishes that are in the journal

    /// A transfer is to rest, or to end.
    case rested(TransferRecord)
    /// Transfers of a session are to rest.
    case restedAll([TransferID], SessionID)
    /// Attempts are to stop, and no others follow.
    case stop([TransferID])
    /// Actions are answered although the attempts have not ended.
    case left([TransferID])
    /// The user wants a transfer to go on, whatever servers have asked for.
    case urged(TransferRecord)
    /// A transfer goes on, or begins again.
    case resumed(TransferRecord)
    /// Transfers of a session go on, or begin again.
    case restarted(Restart)
    /// A change of a request goes to the journal.
    case changing(TransferID)
    /// The change was not stored.
    case unchanged(TransferID)
    /// A request has changed.
    case changed(TransferRecord, replacing: TransferRecord)
    /// Transfers of a session are to begin no attempt while the journal changes them.
    case takeOut(Set<TransferID>, SessionID)
    /// The change is stored, or was given up: what was taken out stands where it stood.
    case comeBack(WaitingTransfers.TakenOut)
    /// An answer was given to a server, which may fit other transfers of the session.
    case answered(SessionID)
    /// Transfers are forgotten.
    case gone([TransferID])
    /// The action upon a transfer has ended.
    case unlocked(TransferID)

    // MARK: Ends of time

    /// The time of a transfer is bounded, as its record says.
    case bounded(TransferRecord)
    /// The time of transfers passes soon, as the journal says.
    case due([DueTransfer])
    /// The transfers whose time passes soon are to be found.
    case lookAhead
    /// The alarms of transfers have rung; the alarm of a transfer that is acted upon rings again after the action.
    case rang([TransferID], isBusy: Bool)
    /// The alarm of a transfer has rung, and this is its record.
    case overdue(TransferRecord)
    /// The end of a transfer's time could not be looked at, and is after so many seconds.
    case ringAgain(TransferID, after: Double)

    // MARK: Attempts

    /// A server wants to be asked later, which it told a transfer.
    case held(Origin, seconds: Double, TransferID)
    /// An attempt has got its run.
    case began(TransferID, TransferRecord)
    /// All bytes of a transfer are there.
    case whole(TransferID, inMemory: Bool)
    /// The look-up of a host's name takes long for a transfer, or has ended.
    case name(TransferID, isSlow: Bool)
    /// The look-up of a host's name was given up.
    case nameGivenUp(TransferID)
    /// The outcome of a transfer is stored, with the size of its file if it has one.
    case finished(TransferID, size: Int64?)
    /// An attempt has ended, and what its report asks for next is stored.
    case ended(TransferID, NextAttempt?)

    /// A transfer that is to run, and what it waits for before.
    struct Eligible: Sendable {
        let record: TransferRecord
        /// Seconds.
        var delay = 0.0
        var reason = WaitReason.retry
        /// What it waits for, where the journal does not say so.
        var error: ServiceError?
    }

    /// Transfers of a list that wait in the journal alone; their ids follow each other.
    struct List: Sendable {
        let lines: [StoredQueueKey]
        let ids: [TransferID]
        /// When the time of each is over.
        let due: Date?
    }

    /// Transfers that go on, or begin again.
    struct Restart: Sendable {
        let ids: [TransferID]
        let session: SessionID
        /// Transfers for which what servers have told them is lifted.
        var released: Set<TransferID> = []
        /// The transfers of `ids` that may run, as the journal knows them.
        let pending: [PendingTransfer]
    }
}

/// What follows from a decision of the queue; the service performs it.
enum Effect: Sendable {
    /// Makes an attempt at a transfer, which has got a slot.
    case start(TransferID, QueueKey)
    /// Lets a run follow a changed request.
    case follow(TransferID, TransferRequest)
    /// Stops a run; its transfer has this error then, if there is one.
    case stop(TransferID, ServiceError?)
    /// Ends a transfer that does not wait for better conditions.
    case fail(TransferID, WaitReason)
    /// Reads the transfers whose alarms have rung.
    case endOverdue([TransferID])
    /// Ends a transfer whose time is over, and which has no attempt.
    case expire(TransferID)
    /// Reads the transfers whose time passes after a moment, if there is one, and through another.
    case readDue(after: Date?, through: Date)
    /// Transfers that were taken out of line, for the caller to give back.
    case takenOut(WaitingTransfers.TakenOut)
    /// Looks at the free slots once the jobs that wait for the service now are done.
    case deferSchedule
    /// Reads on in the journal where a line is short.
    case readOn(Backlog<StoredQueueKey>.Reading)
    /// Nothing has a slot: the journal may be tidied up.
    case rest

    /// Does what an alarm was set for.
    case work(Alarm.Cause)
    /// Watches conditions that transfers depend on from here on.
    case watch(ConditionNeeds)
    case pollPower(KnownConditions.Pace)
    /// Gives up connections that were made over another network.
    case renewConnections
    /// Tells the service's other listeners that follow the conditions.
    case conditionsChanged(KnownConditions)
    /// Lets limits follow the settings of all.
    case limits(ServiceSettings)
    /// Lets the limits of a session follow its settings.
    case sessionLimits(SessionID, SessionSettings)
    /// Reads which network policies the requests of a session's waiting transfers have themselves.
    case readPolicies(SessionID)

    /// Tells listeners that a transfer waits.
    case notifyWaiting(TransferRecord)
    /// Tells listeners what transfers wait for, as far as they still do.
    case notifyReasons([TransferID])
    /// Asks the journal whether a session's app is to be told of its events, or started for them.
    case consider(SessionID)
    /// Tells a run loop, by its connection, that a session of its app has events.
    case notifyApp(Int, session: String)
    /// Starts an app for a session.
    case launch(SessionID, AppLaunch)
    /// Saves that a session's app was not started although that was tried again.
    case launchGivenUp(SessionID)
    /// Saves that no process has a session open.
    case detached(SessionID)
    /// Ends the events of a process that has a session open no more.
    case endSignals(Int)
    /// Saves that the user has started an app.
    case saveForeground(AppRegistry.Foreground)
    /// Removes what an attempt has left whose transfer was acted upon before it ended.
    case cleanUp
}
