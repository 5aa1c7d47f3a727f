import Dispatch
import FerryCore
import FerryURLSession
import Foundation
import FoundationNetworking
import Synchronization

/// How the file of a chain comes to its place.
extension DownloadRequest {
    /// The statuses whose responses are files, unless the app names others.
    private static let success: Set<Int> = Set(200..<300)

    /// The task has come to an end other than a pause.
    func ended(after mark: DeliveryMark?) {
        state.withLock { $0.hasEnded = true }
        finishIfWanted(after: mark)
    }

    /// The app asks for a download that an earlier process has left.
    func adopt(_ destination: DownloadFileDestination?) {
        state.withLock { state in
            state.destination = destination
            state.isWanted = true
        }
        guard let session else { return }
        let status = downloadTask.state.withLock { task in
            task.request = self
            return task.stored
        }
        switch status {
        case .succeeded, .canceled, .removed: ended(after: nil)
        case .suspended, .failed: session.perform(.start, on: [downloadTask]) { _ in }
        default: break
        }
    }

    /// The app asks for the result of a download that an earlier process has left, as it is.
    func takeUp() {
        guard session != nil else { return }
        let status = downloadTask.state.withLock { task -> Status? in
            guard task.request == nil, !task.calls.isForgotten else { return nil }
            task.request = self
            return task.stored
        }
        if let status, status.isEnd, status != .suspended { ended(after: nil) }
    }

    /// Brings the file to its place and calls the closures that wait, once, on the operation queue.
    func finishIfWanted(after mark: DeliveryMark?) {
        let begins = state.withLock { state in
            guard state.hasEnded, state.isWanted, !state.isFinishing, state.result == nil else { return false }
            // A file without a destination waits until the app asks for the result.
            guard state.destination != nil || !state.responses.isEmpty || downloadTask.status != .succeeded else {
                return false
            }
            state.isFinishing = true
            return true
        }
        guard begins else { return }
        let deliveries = Deliveries.of(downloadTask)
        deliveries.add(.own, after: DeliveryLine.own.after(mark)) { self.finish() }
    }

    private func finish() {
        let status = downloadTask.status
        let temporary = downloadTask.state.withLock(\.file.placed)
        if status == .succeeded, let temporary, !FileManager.default.fileExists(atPath: temporary) {
            // Placed before the process ended, or lost: the daemon looks, and fetches it again.
            state.withLock { state in
                state.isFinishing = false
                state.hasEnded = false
            }
            session?.goOn([(downloadTask, nil)]) {}
            return
        }
        tell(result(status, temporary.map { URL(fileURLWithPath: $0) }))
    }

    private func result(_ status: Status, _ temporary: URL?) -> DefaultDownloadResponse {
        let response = response
        func result(_ destination: URL? = nil, _ error: (any Error)? = nil) -> DefaultDownloadResponse {
            DefaultDownloadResponse(
                request: request, response: response, temporaryURL: temporary, destinationURL: destination,
                error: error)
        }
        guard status == .succeeded, let temporary else {
            return result(nil, failure(status))
        }
        let (acceptable, destination) = state.withLock { ($0.acceptable ?? Self.success, $0.destination) }
        if let code = response?.statusCode, !acceptable.contains(code) {
            return result(nil, FerryError.unacceptableStatusCode(code: code))
        }
        guard let destination, let response else { return result() }
        let place = destination(temporary, response)
        do {
            let file = try Self.move(temporary, to: place.destinationURL, place.options)
            return result(file)
        } catch {
            return result(nil, error)
        }
    }

    /// Why there is no file: a `URLError` where a session ends a task with one, as chains have it.
    private func failure(_ status: Status) -> any Error {
        let url = downloadTask.currentURL
        switch downloadTask.state.withLock(\.error) ?? (status == .removed ? .removed : .canceled) {
        case .transport(let error): return error
        case .canceled: return URLErrorMapping.error(FerryCore.TransferError(.canceled, "cancelled"), url: url)
        case .resourceTimeout:
            let sentence = FerryError.resourceTimeout.description
            return URLErrorMapping.error(FerryCore.TransferError(.deadlineExceeded, sentence), url: url)
        case let error: return error
        }
    }

    private static func move(
        _ file: URL, to destination: URL, _ options: DownloadOptions
    ) throws(FerryError) -> URL {
        let folder = destination.deletingLastPathComponent()
        if options.contains(.createIntermediateDirectories) {
            do {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            } catch {
                throw .cacheError(reason: .cannotCreateDirectory(path: folder.path, error: error))
            }
        }
        let place = URLSessionDownloadTask.Destination(
            destination, conflictPolicy: options.contains(.removePreviousFile) ? .replace : .fail,
            createsIntermediateDirectories: false)
        do {
            return try FilePlacement.move(file.path, to: place)
        } catch let error as FerryURLSession.TransferError where error.code == ErrorCode.destinationExists.rawValue {
            throw .fileConflict(path: destination.path)
        } catch {
            throw .cacheError(
                reason: .cannotMoveItem(atPath: file.path, toPath: destination.path, error: error))
        }
    }

    /// Calls all closures that wait, and lets the daemon forget the download when the last of them has returned.
    private func tell(_ result: DefaultDownloadResponse) {
        let responses = state.withLock { state in
            state.result = result
            state.isFinishing = false
            defer { state.responses = [] }
            return state.responses
        }
        let group = DispatchGroup()
        for response in responses {
            group.enter()
            response.queue.call {
                response.handler(result)
                group.leave()
            }
        }
        group.notify(queue: .global()) { [self] in
            downloadTask.state.withLock { task in
                task.request = nil
                task.calls.forget()
            }
            session?.state.withLock { $0.restored.removeAll { $0 === self } }
            guard let session, session.has(downloadTask) else { return }
            session.perform(.remove(completely: true), on: [downloadTask]) { _ in }
        }
    }
}
