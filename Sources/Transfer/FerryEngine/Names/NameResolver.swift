import FerryCore
package import FerryRules
import NIOCore
import Synchronization

/// Resolves names for all event loops, each on its own thread.
///
/// No request waits for a hanging resolution. Its thread ends when the system's resolver returns, and the result is
/// kept for the next request.
final class NameResolver: Sendable {
    enum Answer {
        case known(NameCache.Finding)
        /// Fails with a ``NameCache/Failure``, or when the resolver is shut down.
        case later(EventLoopFuture<[String]>)
    }

    private struct State {
        var book: NameCache
        var waiting: [String: [EventLoopPromise<[String]>]] = [:]
        var isShutDown = false
    }

    private let lookup: NameLookup
    private let state: Mutex<State>

    init(_ lookup: NameLookup) {
        self.lookup = lookup
        state = Mutex(State(book: NameCache(limits: NameLookup.limits)))
    }

    func ask(_ name: String, on loop: any EventLoop) -> Answer {
        let promise = loop.makePromise(of: [String].self)
        let known: NameCache.Finding? = state.withLock { state in
            guard !state.isShutDown else { return .failure(.noAnswer) }
            guard case .known(let finding) = state.book.ask(name, at: Self.now) else {
                state.waiting[name, default: []].append(promise)
                return nil
            }
            return finding
        }
        if let known {
            promise.succeed([])
            return .known(known)
        }
        startLookups()
        return .later(promise.futureResult)
    }

    /// Returns the addresses of a host, which may be an address itself. Fails with a ``NameCache/Failure``.
    ///
    /// - Parameter limit: Maximum number of seconds to wait for the name.
    func addresses(
        of host: String, on loop: any EventLoop, atMost limit: Double = .infinity
    ) -> EventLoopFuture<[String]> {
        if let address = host.literalAddress { return loop.makeSucceededFuture([address]) }
        switch ask(host, on: loop) {
        case .known(let finding): return loop.makeCompletedFuture(finding.mapError { $0 })
        case .later(let addresses):
            let found = loop.makePromise(of: [String].self)
            let timer = loop.scheduleTask(in: .wait(min(patience(for: host), limit))) {
                self.gaveUp(on: host)
                found.fail(NameCache.Failure.noAnswer)
            }
            addresses.whenComplete { result in
                timer.cancel()
                found.completeWith(result.mapError { $0 as? NameCache.Failure ?? .noAnswer })
            }
            return found.futureResult
        }
    }

    /// Returns the seconds that a request waits for a name.
    private func patience(for name: String) -> Double { state.withLock { $0.book.patience(for: name) } }

    /// Records that a request has given up waiting for a name.
    private func gaveUp(on name: String) { state.withLock { $0.book.gaveUp(on: name) } }

    /// Records the address of a name that accepted a connection.
    func prefer(_ address: String, for name: String) { state.withLock { $0.book.prefer(address, for: name) } }

    /// Forgets the addresses of a name after connecting to all of them failed: the server may have moved.
    func forget(_ name: String) { state.withLock { $0.book.forget(name) } }

    /// Records a response from the last connection to a name.
    func responded(_ name: String) { state.withLock { $0.book.responded(name) } }

    /// Whether the last connection to a name brought a response.
    func hasResponded(_ name: String) -> Bool { state.withLock { $0.book.hasResponded(name) } }

    /// Records that an address accepted a connection and did not respond.
    ///
    /// - Parameter address: `nil` for the address of the last connection.
    func silent(_ address: String?, for name: String) {
        state.withLock { $0.book.silent(address, for: name, at: Self.now) }
    }

    /// Whether an address of a name has not responded, and another one is left.
    func hasOther(_ name: String, _ family: AddressFamily?) -> Bool {
        state.withLock { $0.book.hasOther(name, family, at: Self.now) }
    }

    /// Whether the preferred address of a name has not responded yet, no other has failed to, and the name has
    /// addresses of both families.
    func isUnproven(_ name: String, _ family: AddressFamily?) -> Bool {
        state.withLock { $0.book.isUnproven(name, family, at: Self.now) }
    }

    /// Allows names without an address to be resolved again, such as on another network.
    func forgetFailures() { state.withLock { $0.book.forgetFailures() } }

    /// Fails all waiting requests. Results of running resolutions are dropped.
    func shutdown() {
        let waiting = state.withLock { state in
            state.isShutDown = true
            defer { state.waiting = [:] }
            return state.waiting.values.flatMap(\.self)
        }
        for promise in waiting { promise.fail(NameCache.Failure.noAnswer) }
    }

    private func startLookups() {
        while let name = state.withLock({ $0.isShutDown ? nil : $0.book.next() }) {
            let isStarted = BlockingThread.start { [self] in
                end(name, lookup.find(name))
                startLookups()
            }
            if !isStarted { end(name, .failure(.noAnswer)) }
        }
    }

    private func end(_ name: String, _ finding: NameCache.Finding) {
        let (waiting, known) = state.withLock { state in
            state.book.ended(name, finding, at: Self.now)
            let waiting = state.waiting.removeValue(forKey: name) ?? []
            guard case .known(let known) = state.book.ask(name, at: Self.now) else { return (waiting, finding) }
            return (waiting, known)
        }
        for promise in waiting { promise.completeWith(known.mapError { $0 as any Error }) }
    }

    private static var now: Double { Double(NIODeadline.now().uptimeNanoseconds) / 1e9 }
}

/// Resolves one name to its addresses. Blocks as long as the system's resolver does, on its own thread.
package struct NameLookup: Sendable {
    package var find: @Sendable (_ name: String) -> NameCache.Finding

    package init(find: @escaping @Sendable (_ name: String) -> NameCache.Finding) { self.find = find }
}

extension NameCache.Failure {
    /// Returns the error of a request if its host or proxy has no address.
    func error(of name: String, url: HTTPURL, isProxy: Bool) -> ServiceError {
        let details = ErrorDetails(url: url.redacted)
        return switch self {
        case .notFound:
            ServiceError(
                .hostNotFound, "The \(isProxy ? "proxy" : "host") \(name) cannot be found.", details: details)
        case .noAnswer:
            ServiceError(
                .dnsFailed, "The name \(name) cannot be resolved: the resolver did not respond.", details: details)
        }
    }
}

extension String {
    /// Whether this host of a URL is a name: canonical IPv4 addresses end with a digit, and names do not.
    var isName: Bool { utf8.first != UInt8(ascii: "[") && utf8.last?.isASCIIDigit == false }

    /// The address that this host of a URL is, or `nil` for a name.
    ///
    /// The zone of an address that has none is left out: the system accepts one only for link-local addresses (RFC 4007
    /// §11).
    var literalAddress: String? {
        guard hasPrefix("[") else { return (try? SocketAddress(ipAddress: self, port: 0)) == nil ? nil : self }
        let literal = dropFirst().dropLast()
        guard let zone = literal.firstRange(of: "%25") else { return String(literal) }
        let address = literal[..<zone.lowerBound]
        return IPAddress(String(address))?.isLinkLocal == true
            ? address + "%" + literal[zone.upperBound...] : String(address)
    }

    /// The host name as TLS requires it (RFC 6066 §3): without the final full stop of an absolute name.
    var withoutFinalStop: String { hasSuffix(".") ? String(dropLast()) : self }

    /// The server name for TLS, or `nil` for an address, which cannot be a server name (RFC 6066 §3).
    var serverName: String? { IPAddress(self) == nil && !hasPrefix("[") ? withoutFinalStop : nil }
}
