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

    /// Returns the seconds that a request waits for a name.
    func patience(for name: String) -> Double { state.withLock { $0.book.patience(for: name) } }

    /// Records that a request has given up waiting for a name.
    func gaveUp(on name: String) { state.withLock { $0.book.gaveUp(on: name) } }

    /// Records the address of a name that accepted a connection.
    func prefer(_ address: String, for name: String) { state.withLock { $0.book.prefer(address, for: name) } }

    /// Forgets the addresses of a name after connecting to all of them failed: the server may have moved.
    func forget(_ name: String) { state.withLock { $0.book.forget(name) } }

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
