/// What is known of the names of hosts, and which of them is looked up next.
///
/// A name is looked up once at a time, however many ask for it. Look-ups block, so each takes a thread, and there are only so
/// many: names whose last look-up had no answer leave some of the threads to all others.
package struct NameCache: Sendable {
    package enum Failure: Error, Hashable, Sendable {
        /// There is no such name, or it has no address.
        case notFound
        /// The resolver did not say: it may know the name a moment later.
        case noAnswer
    }

    /// The addresses of a name, in the order in which they are tried, or why there are none.
    package typealias Finding = Result<[String], Failure>

    package struct Limits: Sendable {
        /// Look-ups at a time: more than there are transfers, so that none waits for the look-ups of others. Each takes a thread
        /// that sleeps, and two descriptors.
        package var threads = 384
        /// Threads that no name gets whose last look-up had no answer.
        package var reserved = 128
        /// Seconds that addresses are good for.
        package var kept = 30.0
        /// Seconds in which a name that has no addresses is not looked up again.
        package var failureKept = 5.0
        /// Seconds that a request waits for a look-up.
        package var patience = 10.0
        /// Seconds that it waits for a name whose last look-up had no answer; what comes later is for the next request.
        package var shortPatience = 2.0
        /// Names that are remembered.
        package var names = 1024

        package init() {}
    }

    package enum Answer: Hashable, Sendable {
        case known(Finding)
        /// The name is being looked up, or will be.
        case pending
    }

    private enum Phase {
        case resting(Finding, until: Double)
        case queued
        case running
    }

    private struct Entry {
        var phase: Phase
        /// Whether the last look-up had no answer, or the one that runs has none in time.
        var isSilent = false
        /// The address that was connected to last.
        var preferred: String?
    }

    private let limits: Limits
    private var entries: [String: Entry] = [:]
    /// Names that wait for a thread: `prompt` ones may use any, `silent` ones leave some threads to the others.
    private var prompt: [String] = []
    private var silent: [String] = []
    private var running = 0

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// What is known of a name; one of which nothing is known takes its place in line.
    package mutating func ask(_ name: String, at now: Double) -> Answer {
        guard let entry = entries[name] else {
            makeRoom(at: now)
            line(name, Entry(phase: .queued))
            return .pending
        }
        switch entry.phase {
        case .queued, .running: return .pending
        case .resting(let finding, let until):
            if now < until { return .known(finding.map { $0.beginning(with: entry.preferred) }) }
            line(name, entry)
            return .pending
        }
    }

    /// The next name to look up, if there is a thread for it; ``ended(_:_:at:)`` must follow.
    package mutating func next() -> String? {
        guard running < limits.threads else { return nil }
        let name: String
        if !prompt.isEmpty {
            name = prompt.removeFirst()
        } else if !silent.isEmpty, running < limits.threads - limits.reserved {
            name = silent.removeFirst()
        } else {
            return nil
        }
        entries[name]?.phase = .running
        running += 1
        return name
    }

    /// A look-up has ended.
    package mutating func ended(_ name: String, _ finding: Finding, at now: Double) {
        running -= 1
        let (isSilent, kept) =
            switch finding {
            case .success: (false, limits.kept)
            case .failure(let failure): (failure == .noAnswer, limits.failureKept)
            }
        let ordered = finding.map(\.interleavingFamilies)
        entries[name]?.phase = .resting(ordered, until: now + kept)
        entries[name]?.isSilent = isSilent
    }

    /// A request has stopped waiting for a name: a look-up that still runs is too slow.
    package mutating func gaveUp(on name: String) {
        if case .running = entries[name]?.phase { entries[name]?.isSilent = true }
    }

    /// Seconds that a request waits for a name.
    package func patience(for name: String) -> Double {
        entries[name]?.isSilent == true ? limits.shortPatience : limits.patience
    }

    /// An address of a name was connected to: the next request begins with it.
    package mutating func prefer(_ address: String, for name: String) { entries[name]?.preferred = address }

    /// The addresses of a name are of no use: it is looked up again for the next request.
    package mutating func forget(_ name: String) {
        if case .resting(.success, _) = entries[name]?.phase { entries[name] = nil }
    }

    /// Failures of before are worth nothing: another network may know the names.
    package mutating func forgetFailures() {
        for (name, entry) in entries {
            entries[name]?.isSilent = false
            if case .resting(.failure, _) = entry.phase { entries[name] = nil }
        }
    }

    // MARK: -

    private mutating func line(_ name: String, _ entry: Entry) {
        var entry = entry
        entry.phase = .queued
        entries[name] = entry
        if entry.isSilent { silent.append(name) } else { prompt.append(name) }
    }

    /// Drops what is known of names that no request asks for.
    private mutating func makeRoom(at now: Double) {
        guard entries.count >= limits.names else { return }
        func drop(_ isDropped: (Double) -> Bool) {
            entries = entries.filter { _, entry in
                if case .resting(_, let until) = entry.phase { !isDropped(until) } else { true }
            }
        }
        drop { $0 <= now }
        if entries.count >= limits.names { drop { _ in true } }
    }
}

extension [String] {
    /// Addresses of both families in turn, beginning with the family that comes first (RFC 8305 §4).
    fileprivate var interleavingFamilies: [String] {
        guard let first else { return self }
        let isIPv6: (String) -> Bool = { $0.utf8.contains(UInt8(ascii: ":")) }
        let isFirst6 = isIPv6(first)
        let mine = filter { isIPv6($0) == isFirst6 }
        let others = filter { isIPv6($0) != isFirst6 }
        var result: [String] = []
        for index in 0..<Swift.max(mine.count, others.count) {
            if index < mine.count { result.append(mine[index]) }
            if index < others.count { result.append(others[index]) }
        }
        return result
    }

    /// The same addresses with one of them first.
    fileprivate func beginning(with address: String?) -> [String] {
        guard let address, let index = firstIndex(of: address), index > 0 else { return self }
        var result = self
        result.insert(result.remove(at: index), at: 0)
        return result
    }
}
