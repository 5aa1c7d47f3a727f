import FerryCore
import FerryRules
import NIOHTTP1
import Synchronization

/// Maps requests that the HTTP client has assigned to a connection to their exchanges.
///
/// The client does not report the connection of a request. Each request therefore carries a number in a private field,
/// which the connection removes before sending.
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

    /// The exchange of a request.
    enum Owner {
        /// The request has no mark.
        case unmarked
        case exchange(ExchangeRecorder)
        /// The exchange has ended and would not read the response.
        case ended
    }

    /// Returns the exchange of a request, removes the mark, and sets the request target to exactly that of the
    /// exchange.
    ///
    /// The client is given only a connection URL: it builds targets with Foundation's `URL`, which cannot represent a
    /// path that is not UTF-8.
    func claim(_ head: inout HTTPRequestHead) -> Owner {
        guard let mark = head.headers.first(name: Self.fieldName) else { return .unmarked }
        head.headers.remove(name: Self.fieldName)
        guard let number = UInt64(mark), let recorder = state.withLock({ $0.recorders[number] }) else { return .ended }
        head.uri = recorder.target
        return .exchange(recorder)
    }

    func remove(_ number: UInt64) { _ = state.withLock { $0.recorders.removeValue(forKey: number) } }
}
