package import FerryCore

/// Where the conditions come from: the machine, a file, or a test.
package protocol ConditionSource: Sendable {
    /// Whether it may want hosts on this machine treated like all others.
    var concernsLoopback: Bool { get }

    /// What is known at the moment. Does not block.
    var report: ConditionReport { get }

    /// Begins to watch what is not watched yet, and calls the closure after every change of the report, from any thread.
    ///
    /// What is asked for becomes known soon, also where the machine cannot say: then it is what restricts no transfer.
    func watch(_ needs: ConditionNeeds, changed: @escaping @Sendable () -> Void)

    /// Looks at the power again and again, where nothing announces its changes; nil looks no more.
    func pollPower(every seconds: Int?)

    /// Ends everything; nothing is watched afterwards. Twice is as good as once.
    func stop()
}

/// What a source knows.
package struct ConditionReport: Hashable, Sendable {
    package var conditions = Conditions()
    /// Which of them it knows.
    package var known: ConditionNeeds = []

    package init() {}
}
