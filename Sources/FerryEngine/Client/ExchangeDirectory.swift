// Ferry: FerryEngine
// Which request of a connection belongs to which exchange.

import NIOHTTP1
import Synchronization

/// Finds the exchange of a request that the HTTP client has given a connection.
///
/// The client does not say which connection serves a request. So the request carries a number in a field of its own,
/// which the connection takes out before anything is sent.
final class ExchangeDirectory: Sendable {
    static let fieldName = "ferry-exchange"

    private struct State {
        var recorders: [UInt64: ExchangeRecorder] = [:]
        var next: UInt64 = 0
    }

    private let state = Mutex(State())

    /// Registers an exchange and marks its request.
    func mark(_ headers: inout HTTPHeaders, for recorder: ExchangeRecorder) -> UInt64 {
        let number = state.withLock { state in
            state.next += 1
            state.recorders[state.next] = recorder
            return state.next
        }
        headers.replaceOrAdd(name: Self.fieldName, value: String(number))
        return number
    }

    /// The exchange of a request, whose mark is taken off.
    func unmark(_ headers: inout HTTPHeaders) -> ExchangeRecorder? {
        guard let mark = headers.first(name: Self.fieldName) else { return nil }
        headers.remove(name: Self.fieldName)
        guard let number = UInt64(mark) else { return nil }
        return state.withLock { $0.recorders[number] }
    }

    func remove(_ number: UInt64) { _ = state.withLock { $0.recorders.removeValue(forKey: number) } }
}
