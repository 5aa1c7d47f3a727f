import Dispatch
import FerryAPI
package import FerryCore
import FerryFoundation

/// Complete lists from the daemon.
extension RemoteTransferService {
    /// Returns all transfers of a session. Requests the next page before decoding the last one, so that the daemon and
    /// this process work at the same time.
    package func allTransfers(of session: SessionID) async throws(ServiceError) -> [Transfer] {
        let pages = await withTaskGroup(of: (Int, Result<[Transfer], ServiceError>).self) { group in
            var query = TransferQuery()
            query.session = session
            query.limit = TransferQuery.limits.upperBound
            var count = 0
            var pages: [Int: Result<[Transfer], ServiceError>] = [:]
            repeat {
                let number = count
                count += 1
                do throws(ServiceError) {
                    let text = try await text(of: query)
                    query.after = try Self.cursor(after: query.after, is: try Self.next(after: text))
                    group.addTask(executorPreference: DecodingExecutor.shared) { (number, Self.transfers(in: text)) }
                } catch {
                    pages[number] = .failure(error)
                    break
                }
            } while query.after != nil
            for await (number, page) in group { pages[number] = page }
            return (0..<count).map { pages[$0] ?? .success([]) }
        }
        var all: [Transfer] = []
        for page in pages { all += try page.get() }
        return all
    }

    private func text(of query: TransferQuery) async throws(ServiceError) -> Data {
        let items = query.items + [ListTransfers.omitsUsual]
        return try await repeating { connection throws(ConnectionFailure) in
            try await connection.answer(ListTransfers.self, query: items)
        }
    }

    /// Returns the cursor of the next page. Sorted keys put it first in the text.
    private static func next(after page: Data) throws(ServiceError) -> TransferID? {
        let key = Data(#"{"next":""#.utf8)
        if page.starts(with: key),
            let id = TransferID(String(decoding: page.dropFirst(key.count).prefix(16), as: UTF8.self))
        {
            return id
        }
        return try decode(page).next
    }

    /// Returns the cursor of the next page.
    ///
    /// - Throws: ``ServiceError`` if the cursor does not increase. The same pages would be requested forever.
    static func cursor(after last: TransferID?, is next: TransferID?) throws(ServiceError) -> TransferID? {
        if let last, let next, next <= last {
            throw ServiceError(.internal, "The daemon's list of transfers never ends.")
        }
        return next
    }

    private static func transfers(in page: Data) -> Result<[Transfer], ServiceError> {
        Result { () throws(ServiceError) in try decode(page).transfers }
    }

    private static func decode(_ page: Data) throws(ServiceError) -> TransferPage {
        do throws(ConnectionFailure) {
            return try DaemonConnection.decode(TransferPage.self, from: page)
        } catch {
            throw error.error
        }
    }
}

/// Runs tasks on its own thread. Callers may block the threads of Swift's pool, and calls have another thread to
/// themselves.
private final class DecodingExecutor: TaskExecutor {
    static let shared = DecodingExecutor()

    private let queue = DispatchQueue(label: "ferry.answers", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = unsafe asUnownedTaskExecutor()
        queue.async { unsafe job.runSynchronously(on: executor) }
    }
}
