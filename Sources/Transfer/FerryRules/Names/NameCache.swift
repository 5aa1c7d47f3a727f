package import FerryCore

/// Cached addresses of host names, and the queue of names to resolve.
///
/// A name is resolved once at a time, however many requests need it. Resolving blocks a thread, and the number of
/// threads is limited: names whose last resolution got no response leave some threads to all others.
package struct NameCache: Sendable {
    package enum Failure: Error, Hashable, Sendable {
        /// The name does not exist, or has no address.
        case notFound
        /// The resolver did not respond: it may know the name a moment later.
        case noAnswer
    }

    /// The addresses of a name in the order of attempts, or why there are none.
    package typealias Finding = Result<[String], Failure>

    package struct Limits: Sendable {
        /// Maximum number of concurrent resolutions: more than there are transfers, so that none waits for those of
        /// others. Each takes a sleeping thread and two descriptors.
        package var threads = 384
        /// Threads that names whose last resolution got no response must leave free.
        package var reserved = 128
        /// Seconds for which addresses are valid.
        package var kept = 30.0
        /// Seconds for which a failure is valid.
        package var failureKept = 5.0
        /// Seconds that a request waits for a resolution.
        package var patience = 10.0
        /// Seconds that it waits for a name whose last resolution got no response. Later results serve the next
        /// request.
        package var shortPatience = 2.0
        /// Seconds for which an address without a response comes last.
        package var silence = 600.0
        /// Maximum number of cached names.
        package var names = 1024

        package init() {}
    }

    package enum Answer: Hashable, Sendable {
        case known(Finding)
        /// The name is being resolved, or will be.
        case pending
    }

    private enum Phase {
        case resting(Finding, until: Double)
        case queued
        case running
    }

    private struct Entry {
        var phase: Phase
        /// Whether the last resolution got no response, or the current one is late.
        var isSilent = false
        /// The address of the last connection.
        var preferred: String?
        /// Addresses that accepted a connection and did not respond, with the time until which others are tried first.
        var silentAddresses: [String: Double] = [:]
        /// Whether the preferred address has responded.
        var hasResponded = false

        /// The addresses in the order of attempts.
        func ordered(_ addresses: [String], at now: Double) -> [String] {
            let all = addresses.beginning(with: preferred)
            guard !silentAddresses.isEmpty else { return all }
            let isSilent: (String) -> Bool = { (silentAddresses[$0] ?? 0) > now }
            return all.filter { !isSilent($0) } + all.filter(isSilent)
        }
    }

    private let limits: Limits
    private var entries: [String: Entry] = [:]
    /// Names waiting for a thread: `prompt` ones may use any, `silent` ones leave the reserved threads free.
    private var prompt: [String] = []
    private var silent: [String] = []
    private var running = 0

    package init(limits: Limits = Limits()) { self.limits = limits }

    /// Returns the cached result of a name, or queues the name for resolution.
    package mutating func ask(_ name: String, at now: Double) -> Answer {
        guard let entry = entries[name] else {
            makeRoom(at: now)
            line(name, Entry(phase: .queued))
            return .pending
        }
        switch entry.phase {
        case .queued, .running: return .pending
        case .resting(let finding, let until):
            if now < until { return .known(finding.map { entry.ordered($0, at: now) }) }
            line(name, entry)
            return .pending
        }
    }

    /// Returns the next name to resolve, if a thread is free. ``ended(_:_:at:)`` must follow.
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

    /// Records the result of a resolution.
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

    /// Records that a request has stopped waiting for a name, so a running resolution is too slow.
    package mutating func gaveUp(on name: String) {
        if case .running = entries[name]?.phase { entries[name]?.isSilent = true }
    }

    /// Seconds that a request waits for a name.
    package func patience(for name: String) -> Double {
        entries[name]?.isSilent == true ? limits.shortPatience : limits.patience
    }

    /// Records a successful connection: the next request starts with this address.
    package mutating func prefer(_ address: String, for name: String) {
        guard entries[name]?.preferred != address else { return }
        entries[name]?.preferred = address
        entries[name]?.hasResponded = false
    }

    /// Drops the addresses of a name: it is resolved again for the next request.
    package mutating func forget(_ name: String) {
        guard case .resting(.success(let addresses), _) = entries[name]?.phase else { return }
        entries[name]?.phase = .resting(.success(addresses), until: -.infinity)
        entries[name]?.preferred = nil
    }

    /// Drops failures, because another network may know the names.
    package mutating func forgetFailures() {
        for (name, entry) in entries {
            entries[name]?.isSilent = false
            entries[name]?.silentAddresses = [:]
            if case .resting(.failure, _) = entry.phase { entries[name] = nil }
        }
    }

    // MARK: Addresses without a response

    /// Records a response from the last connection to a name.
    package mutating func responded(_ name: String) {
        guard let entry = entries[name], !entry.hasResponded else { return }
        entries[name]?.hasResponded = true
        if let address = entry.preferred { entries[name]?.silentAddresses[address] = nil }
    }

    /// Whether the last connection to a name brought a response.
    package func hasResponded(_ name: String) -> Bool { entries[name]?.hasResponded == true }

    /// Records that an address accepted a connection and did not respond: it comes last for some time.
    ///
    /// - Parameter address: Nil for the address of the last connection.
    package mutating func silent(_ address: String?, for name: String, at now: Double) {
        guard let address = address ?? entries[name]?.preferred else { return }
        entries[name]?.silentAddresses[address] = now + limits.silence
        if entries[name]?.preferred == address { entries[name]?.preferred = nil }
    }

    /// Whether an address has not responded, and another one is left.
    package func hasOther(_ name: String, _ family: AddressFamily?, at now: Double) -> Bool {
        guard let entry = entries[name], case .resting(.success(let all), _) = entry.phase else { return false }
        let addresses = all.filter { $0.isOf(family) }
        let silent = addresses.count { (entry.silentAddresses[$0] ?? 0) > now }
        return silent > 0 && silent < addresses.count
    }

    /// Whether the preferred address of a name has not responded yet, no other has failed to, and the name has
    /// addresses of both families.
    package func isUnproven(_ name: String, _ family: AddressFamily?, at now: Double) -> Bool {
        guard family == nil, let entry = entries[name], !entry.hasResponded,
            case .resting(.success(let all), _) = entry.phase
        else { return false }
        // A server that is slow on every address is not cut a second time.
        guard !entry.silentAddresses.values.contains(where: { $0 > now }) else { return false }
        return all.contains { $0.isOf(.ipv4) } && all.contains { $0.isOf(.ipv6) }
    }

    // MARK: -

    private mutating func line(_ name: String, _ entry: Entry) {
        var entry = entry
        entry.phase = .queued
        entries[name] = entry
        if entry.isSilent { silent.append(name) } else { prompt.append(name) }
    }

    /// Evicts names that no request waits for.
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

extension String {
    /// Whether this numeric address is of a family. Nil stands for every family.
    package func isOf(_ family: AddressFamily?) -> Bool {
        family.map { utf8.contains(UInt8(ascii: ":")) == ($0 == .ipv6) } ?? true
    }

    /// Whether this numeric address is in a scope.
    package func isIn(_ scope: AddressScope) -> Bool {
        IPAddress(String(prefix { $0 != "%" })).map(scope.contains) ?? false
    }
}

extension [String] {
    /// The addresses with alternating families, starting with the first address's family (RFC 8305 §4).
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
