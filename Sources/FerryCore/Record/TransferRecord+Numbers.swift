/// Numbers of a record that comes from the journal.
extension SettingRange<Int> {
    /// Counts that go on: room is left above for any number of further ones.
    static var count: Self { Self("count", 0...Int(Int32.max)) }
}

extension SettingRange<Int64> {
    static var bytes: Self { Self("bytes", 0...mostBytes) }
}

extension SettingRange<Double> {
    static var delay: Self { Self("delay", 0...TransferMachine.untilAnswered) }
}

extension TransferRecord {
    /// Brings all numbers into their ranges: the journal may be one of an earlier version, or have been edited.
    package mutating func clampNumbers() {
        request.bringNumbersIntoRange(.clamp)
        failures.clampCounts()
        let care = NumberCare<Never>.clamp
        care.apply(.count, to: &attempts)
        care.apply(.count, to: &facts.restarts)
        care.apply(.count, to: &facts.startedOver)
        care.apply(.count, to: &facts.unusableParts)
        care.apply(.bytes, to: &facts.bodySent)
        if var identity = facts.identity {
            care.apply(.bytes, to: &identity.completeLength)
            facts.identity = identity
        }
        if var plan = retry {
            care.apply(.delay, to: &plan.delay)
            retry = plan
        }
    }
}
