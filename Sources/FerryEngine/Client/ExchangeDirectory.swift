import FerryCore
import NIOHTTP1
import Synchronization

/// Finds the exchange of a request that the HTTP client has given a connection.
///
/// The client does not say which connection serves a request. So the request carries a number in a field of its own,
/// which the connection takes out before anything is sent.
final class ExchangeDirectory: Sendable {
    static let fieldName = OutgoingRequest.markName

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

    /// The exchange that a request belongs to.
    enum Owner {
        /// The request carries no mark.
        case unmarked
        case exchange(ExchangeRecorder)
        /// The exchange has ended, and would not read the answer.
        case ended
    }

    /// The exchange of a request, whose mark is taken off; the request then asks for exactly the target of its exchange.
    ///
    /// The client knows only where to connect to: it builds a target from Foundation's `URL`, which has no path for bytes that are
    /// no UTF-8.
    func claim(_ head: inout HTTPRequestHead) -> Owner {
        guard let mark = head.headers.first(name: Self.fieldName) else { return .unmarked }
        head.headers.remove(name: Self.fieldName)
        guard let number = UInt64(mark), let recorder = state.withLock({ $0.recorders[number] }) else { return .ended }
        head.uri = recorder.target
        return .exchange(recorder)
    }

    func remove(_ number: UInt64) { _ = state.withLock { $0.recorders.removeValue(forKey: number) } }
}
