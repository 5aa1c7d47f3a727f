// Ferry: Ferry
// Where closures of a manager run.

/// Where closures of a manager run.
enum DeliveryLine: Int, CaseIterable, Sendable {
    /// The main queue.
    case main
    /// The manager's operation queue, one closure at a time.
    case own

    init(onMainQueue: Bool) { self = onMainQueue ? .main : .own }

    var other: DeliveryLine { self == .main ? .own : .main }

    /// The mark that a closure in this line has to wait for so that it comes after some others: in the same line the order
    /// is kept anyway, and of those in the other the last one counts.
    func after(_ marks: DeliveryMark?...) -> DeliveryMark? {
        marks.compactMap(\.self).filter { $0.line == other }.max { $0.number < $1.number }
    }
}
