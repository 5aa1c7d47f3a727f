package import FerryCore
package import FerryRules
package import FerryFoundation

/// An event for the queue.
package enum Input: Sendable {
    // MARK: The service

    /// A slot may be free, or a transfer eligible: schedule.
    case schedule
    /// The deferred scheduling pass is due.
    case deferredSchedule
    /// The next alarm is due.
    case alarm
    /// Adds an alarm.
    case plan(Alarm)
    /// The service is shutting down. Nothing starts, and running attempts stop.
    case end

    // MARK: Settings

    /// Stored session settings were loaded at startup. Transfers get no slots before ``opened``.
    case recovered([(id: SessionID, settings: SessionSettings)])
    /// All stored transfers and the orders of their sessions are known.
    case opened
    /// Global settings were committed. Carries the current network and power conditions.
    case settings(ServiceSettings, ConditionReport)
    /// Network or power conditions have changed.
    case conditions(ConditionReport)
    /// A request outside of transfers depends on the conditions of this key.
    case dependent(QueueKey)
    /// A session's settings were committed.
    case session(SessionID, SessionSettings)
    /// A session's client renews its lease until this many seconds after boot.
    case lease(SessionID, until: Double)
    /// A process opened a session, or reports about its connections.
    case attached(SessionAttachment, SessionID)
    /// The requests' own network policies of a session's waiting transfers.
    case policies([TransferID: NetworkPolicy], SessionID)
    /// The order of a session's transfers was committed.
    case order(SessionID, [TransferID])
    /// The delay after an app's launches has changed.
    case relaunchDelay(of: String)
    /// An event of an app.
    case app(AppInput)

    // MARK: Waiting transfers

    /// Pending transfers loaded from the journal, with their deadlines.
    case pending([PendingTransfer])
    /// A transfer is ready to run, possibly after a delay.
    case eligible(Eligible)
    /// The first transfers of each queue, loaded from the journal at startup.
    case stored([(line: StoredQueueKey, ids: [TransferID])])
    /// A long list was committed.
    case listed(List)
    /// The rows requested by ``Effect/readOn(_:)``.
    case read(Backlog<StoredQueueKey>.Reading, [TransferID])
    /// Reading the rows requested by ``Effect/readOn(_:)`` failed.
    case readingFailed
    /// The transfers with a position in their session's order are about to be read.
    case ordering(SessionID)
    /// The requested rows, or none if reading failed.
    case ordered([PendingTransfer], SessionID)

    // MARK: Operations

    /// A user acts on transfers.
    case act(Act)
    /// The result of the step of an action, by its ticket.
    case acted(Act.News, Int)
    /// An operation begins on transfers that no other one holds for such work. They do not start before their release.
    case hold([TransferID], HeldTransfers.Work)
    /// An operation on held transfers has ended.
    case release([TransferID], HeldTransfers.Work)
    /// Consecutive new transfers are being stored. Operations on them wait until they are queued.
    case storing(ClosedRange<TransferID>)
    /// The new transfers are queued, or were not stored.
    case queued(ClosedRange<TransferID>)

    // MARK: Stored commands

    /// Transfers of a session were resumed or restarted.
    case restarted(Restart)
    /// A changed request was committed.
    case changed(TransferRecord, replacing: TransferRecord)
    /// A challenge was answered. The answer may fit other transfers of the session.
    case answered(SessionID)
    /// Transfers were removed from the journal.
    case gone([TransferID])

    // MARK: Deadlines

    /// Transfers with deadlines in the near future, read from the journal.
    case due([DueTransfer])
    /// Find the transfers with deadlines in the near future.
    case lookAhead
    /// The records of transfers whose deadline alarms went off.
    case overdue([TransferRecord])
    /// Transfers could not be checked. Their deadline alarms repeat after this many seconds.
    case ringAgain([TransferID], after: Double)

    // MARK: Attempts

    /// A server asked a transfer to wait before further requests.
    case held(Origin, seconds: Double, TransferID)
    /// An attempt has its run.
    case began(TransferID, TransferRecord)
    /// All bytes of a transfer have been received.
    case whole(TransferID, inMemory: Bool)
    /// Resolving a transfer's host name takes long, or has ended.
    case name(TransferID, isSlow: Bool)
    /// Resolving a host name was given up.
    case nameGivenUp(TransferID)
    /// How many requests a server takes at a time on one connection.
    case places(String, Int)
    /// Outcomes of transfers were committed, with the sizes of their files if they have one.
    case finished([(id: TransferID, size: Int64?)])
    /// An attempt has ended, and the next attempt from its report was committed.
    case ended(TransferID, NextAttempt?)

    /// A transfer to run, and its reason for waiting until then.
    package struct Eligible: Sendable {
        package let record: TransferRecord
        /// Delay in seconds.
        package var delay: Double
        package var reason: WaitReason
        /// The error to wait for, if the journal does not contain it.
        package var error: ServiceError?

        package init(
            record: TransferRecord, delay: Double = 0, reason: WaitReason = .retry, error: ServiceError? = nil
        ) {
            self.record = record
            self.delay = delay
            self.reason = reason
            self.error = error
        }
    }

    /// Transfers of a list that wait only in the journal. Their ids are consecutive.
    package struct List: Sendable {
        package let lines: [StoredQueueKey]
        package let ids: [TransferID]
        /// The deadline of each transfer.
        package let due: Date?

        package init(lines: [StoredQueueKey], ids: [TransferID], due: Date?) {
            self.lines = lines
            self.ids = ids
            self.due = due
        }
    }

    /// Transfers that were resumed or restarted.
    package struct Restart: Sendable {
        package let ids: [TransferID]
        package let session: SessionID
        /// The transfers of `ids` that may run, as stored in the journal.
        package let pending: [PendingTransfer]

        package init(ids: [TransferID], session: SessionID, pending: [PendingTransfer]) {
            self.ids = ids
            self.session = session
            self.pending = pending
        }
    }
}

/// A decision of the queue, for the service to perform.
package enum Effect: Sendable {
    /// The next step of an action, by its ticket. Its result is the next ``Input/acted(_:_:)``. The only effect that the
    /// caller performs.
    case act(Int, Act.Step)

    /// Resumes the callers that wait until nothing works on these transfers.
    case freed([TransferID])
    /// Resumes the callers that wait for these new transfers.
    case freedNew(ClosedRange<TransferID>)
    /// Starts an attempt for a transfer that has a slot, or that only ends.
    case start(TransferID, QueueKey)
    /// Applies a changed request to a run.
    case follow(TransferID, TransferRequest)
    /// Stops a run, with this error for its transfer, if any.
    case stop(TransferID, ServiceError?)
    /// Reads the records of transfers whose deadline alarms went off.
    case readOverdue([TransferID])
    /// Reads the transfers with deadlines after a moment (if given) and up to another.
    case readDue(after: Date?, through: Date)
    /// Schedules once the service's queued jobs are done.
    case deferSchedule
    /// Reads more rows of a queue that is running low.
    case readOn(Backlog<StoredQueueKey>.Reading)
    /// No transfer has a slot: the journal may do maintenance.
    case rest

    /// Does the work of an alarm.
    case work(Alarm.Cause)
    /// Starts watching conditions that transfers depend on.
    case watch(ConditionNeeds)
    case pollPower(KnownConditions.Pace)
    /// Closes connections made over another network.
    case renewConnections
    /// Notifies the service's other condition listeners.
    case conditionsChanged(KnownConditions)
    /// Applies the global settings to the limits.
    case limits(ServiceSettings)
    /// Applies a session's settings to its limits.
    case sessionLimits(SessionID, SessionSettings)
    /// Reads the requests' own network policies of a session's waiting transfers.
    case readPolicies(SessionID)

    /// Publishes that a transfer waits.
    case notifyWaiting(TransferRecord)
    /// Publishes the wait reasons of the transfers that still wait.
    case notifyReasons([TransferID])
    /// Checks the journal whether to notify a session's app of events, or launch it.
    case consider(SessionID)
    /// Notifies an app's run loop, by its connection, that a session has events.
    case notifyApp(Int, session: String)
    /// Launches an app for a session.
    case launch(SessionID, AppLaunch)
    /// Saves that launching a session's app failed again and is given up.
    case launchGivenUp(SessionID)
    /// Saves that no process has a session open.
    case detached(SessionID)
    /// Ends the event stream of a process whose session is closed.
    case endSignals(Int)
    /// Saves that the user has started an app.
    case saveForeground(AppRegistry.Foreground)
    /// Removes files of an attempt that ended after an action had already returned.
    case cleanUp
}
