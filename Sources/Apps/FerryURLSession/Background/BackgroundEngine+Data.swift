import FerryCore
import FerryEngine
import FerryService
import Foundation
import FoundationNetworking
import Synchronization

/// Data tasks of background sessions.
extension BackgroundEngine {
    /// Runs a data task in this process. ferryd keeps a record of it, which reserves its number and from which the next
    /// process learns that the task has ended.
    func recorded(_ task: URLSessionTask, _ request: URLRequest, _ relay: TaskRelay) -> any TaskTransport {
        let number = task.taskIdentifier
        let service = service
        let place = transfers.mapping.placeholder(
            request, task: number, record: TaskRecord(original: request, createdAt: task.createdAt))
        let stored = Blocking.wait(seconds: TransferTransport.patience) {
            () -> Result<Transfer, ServiceError> in
            do throws(ServiceError) {
                switch try await service.submit([place]).first {
                case .accepted(let transfer): return .success(transfer)
                case .refused(let error): return .failure(error)
                case nil: return .failure(ServiceError(.internal, "The service has not responded."))
                }
            } catch {
                return .failure(error)
            }
        }
        let record: Transfer
        switch stored {
        case .success(let transfer): record = transfer
        case .failure(let error):
            return FailedTransport(URLErrorMapping.error(error, url: request.url), relay: relay)
        case nil:
            let error = ServiceError(.daemonUnreachable, "The daemon does not respond.")
            return FailedTransport(URLErrorMapping.error(error, url: request.url), relay: relay)
        }
        let session = relay.session
        state.withLock { $0.ownRecords[number] = record.id }
        return LoadTransport(
            request, body: .none, configuration: configuration, relay: relay, place: loads,
            makeDownload: { load, _ in
                // ferryd requests the resource again and continues without this process.
                load.cancel()
                let download = session.add(.download(request)) { URLSessionDownloadTask($0, of: $1, work: $2) }
                await relay.becameDownload(download)
                download.resume()
            })
    }
}
