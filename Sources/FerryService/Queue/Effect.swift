import FerryCore

/// Something that has happened, for the queue to decide what follows.
enum Input: Sendable {
    /// Something may have freed a slot, or made a transfer eligible.
    case look
    /// The next alarm is due.
    case alarm
    /// Transfers may run that were held.
    case goOn
    /// The service is about to end: nothing begins any more.
    case end
    /// The settings of all were stored, with what is known of networks and power.
    case settings(ServiceSettings, ConditionReport)
    /// What is known of networks and power has changed.
    case conditions(ConditionReport)
    /// The settings of a session were stored.
    case session(SessionID, SessionSettings)
    /// The network policies that the requests of a session's waiting transfers have themselves.
    case policies([TransferID: NetworkPolicy], SessionID)
    /// The order of a session's transfers was stored.
    case order(SessionID, [TransferID])
    /// The delay after an app's launches has changed.
    case relaunchDelay(of: String)

    /// Transfers are to run, as the journal knows them, with the times that bound them.
    case pending([PendingTransfer])
    /// A transfer is to run.
    case eligible(Eligible)
    /// The time of a transfer is bounded, as its record says.
    case bounded(TransferRecord)
    /// The action upon a transfer has ended.
    case turnEnded(TransferID)
    /// A server wants to be asked later, which it told a transfer.
    case held(Origin, seconds: Double, TransferID)

    /// An attempt has got its run.
    case began(TransferID, TransferRecord)
    /// All bytes of a transfer are there.
    case whole(TransferID, inMemory: Bool)
    /// The look-up of a host's name takes long for a transfer, or has ended.
    case name(TransferID, isSlow: Bool)
    /// An attempt has ended, and what its report asks for next is stored.
    case ended(TransferID, NextTry?)

    /// A transfer that is to run, and what it waits for before.
    struct Eligible: Sendable {
        let record: TransferRecord
        /// Seconds.
        var delay = 0.0
        var reason = WaitReason.retry
        /// What it waits for, where the journal does not say so.
        var error: TransferError?
    }
}

/// What follows from a decision of the queue; the service performs it.
enum Effect: Sendable {
    /// Makes an attempt at a transfer, which has got a slot.
    case start(TransferID, QueueKey)
    /// Lets a run follow a changed request.
    case follow(TransferID, TransferRequest)
    /// Stops a run; its transfer has this error then, if there is one.
    case stop(TransferID, TransferError?)
    /// Ends a transfer that does not wait for better conditions.
    case fail(TransferID, WaitReason)
    /// Ends the transfers whose time has passed.
    case endOverdue([TransferID])
    /// Reads on in the journal where a line is short.
    case readOn(Backlog<StoredLine>.Reading)
    /// Nothing has a slot: the journal may be tidied up.
    case rest

    /// Does what an alarm was set for.
    case work(Alarm.Cause)
    /// Watches conditions that transfers depend on from here on.
    case watch(ConditionNeeds)
    case pollPower(KnownConditions.Pace)
    /// Gives up connections that were made over another network.
    case renewConnections
    /// Tells those beside the queue who follow the conditions.
    case conditionsChanged(KnownConditions)
    /// Lets limits follow the settings of all.
    case limits(ServiceSettings)
    /// Lets the limits of a session follow its settings.
    case sessionLimits(SessionID, SessionSettings)
    /// Reads which network policies the requests of a session's waiting transfers have themselves.
    case readPolicies(SessionID)

    /// Tells listeners that a transfer waits.
    case tellWaiting(TransferRecord)
    /// Tells listeners what transfers wait for, as far as they still do.
    case tellReasons([TransferID])
    /// Tells a session's app that a transfer asks for it.
    case tellApp(SessionID)
    /// Removes what an attempt has left whose transfer was acted upon before it ended.
    case cleanUp
}
