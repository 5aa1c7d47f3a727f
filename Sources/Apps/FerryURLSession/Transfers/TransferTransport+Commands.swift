import FerryCore
import Foundation
import FoundationNetworking
import Logging
import Synchronization

/// Commands to the service.
extension TransferTransport {
    private enum WantedState { case run, rest, nothing }

    // MARK: Submission

    /// Submits the transfer. It is paused until the task is resumed.
    func submit() async {
        guard let request = state.withLock({ $0.id == nil && $0.failure == nil ? $0.request : nil }) else { return }
        do throws(ServiceError) {
            let service = try await transfers.place.service()
            // The file of an upload is the user's, and gets no second name.
            let partial = request.file.continues.flatMap { $0.upload == nil ? $0 : nil }
            if let partial { transfers.place.folders.claim(partial.path, size: partial.offset) }
            defer { if let partial { transfers.place.folders.settle(partial.path) } }
            let transfer = try await submitted(request, to: service)
            let isTooLate = state.withLock { state in
                state.request = nil
                if state.failure == nil { state.id = transfer.id }
                return state.failure != nil
            }
            guard !isTooLate else {
                _ = try await service.act(.remove, on: TransferSelection(ids: [transfer.id]))
                return
            }
            transfers.register(self, for: transfer.id)
        } catch {
            fail(URLErrorMapping.error(error, url: task.currentRequest?.url))
        }
    }

    /// Submits the transfer once the session is attached. Calls do not wait for the service until then.
    ///
    /// - Parameter attach: Returns once the session is attached, or returns the error if it cannot be.
    func submit(after attach: @escaping @Sendable () async -> ServiceError?) {
        state.withLock { $0.isDeferred = true }
        commands.add {
            if let obstacle = await attach() {
                self.fail(URLErrorMapping.error(obstacle, url: self.task.currentRequest?.url))
            } else {
                await self.submit()
            }
            self.state.withLock { $0.isDeferred = false }
        }
    }

    /// Records the error that the task will fail with, unless its transfer has been submitted.
    func fail(_ error: any Error) {
        state.withLock { state in
            guard state.id == nil else { return }
            state.failure = state.failure ?? error
            state.request = nil
        }
    }

    private func submitted(
        _ request: TransferRequest, to service: any TransferService
    ) async throws(ServiceError) -> Transfer {
        let results: [SubmissionResult]
        do throws(ServiceError) {
            results = try await service.submit([request])
        } catch {
            // The service may have received the request even if its reply was lost.
            guard error.code == .daemonUnreachable, let note = request.note else { throw error }
            if let known = try await known(note, in: request.session, of: service) { return known }
            results = try await service.submit([request])
        }
        switch results.first {
        case .accepted(let transfer): return transfer
        case .refused(let error): throw error
        case nil: throw ServiceError(.internal, "The service has not responded.")
        }
    }

    private func known(
        _ note: ClientNote, in session: SessionID, of service: any TransferService
    ) async throws(ServiceError) -> Transfer? {
        var query = TransferQuery()
        query.session = session
        query.newestFirst = true
        return try await service.transfers(query).transfers.first { $0.note?.task == note.task }
    }

    // MARK: Running and resting

    /// Resumes or pauses the transfer according to the task's state.
    func settle() async {
        let wantedState = self.wantedState
        if wantedState == .nothing { return }
        if wantedState == .run {
            do {
                _ = try task.options.expectedDigest?.checksum()
                if let record = TaskRecord(task), transfers.place.isDaemon { try record.checkSize() }
            } catch {
                return await refuse(error)
            }
            await submit()
        }
        let (id, failure, isRunning) = state.withLock { ($0.id, $0.failure, $0.isRunning) }
        if wantedState == .run, let failure { return await end(failure) }
        guard let id, isRunning != (wantedState == .run), !state.withLock(\.hasEnded) else { return }
        // Take the change once, before the call that may be repeated.
        var taken = wantedState == .run ? takeChange() : nil
        taken?.action = .resume
        await repeating { [taken] () async throws(ServiceError) in
            let service = try await self.transfers.place.service()
            if let taken {
                _ = try await service.change(id, taken)
            } else {
                _ = try await service.act(wantedState == .run ? .resume : .pause, on: TransferSelection(ids: [id]))
            }
            self.state.withLock { $0.isRunning = wantedState == .run }
        }
        if wantedState == .run { watchBegin() }
    }

    /// Fails the task with an error of its app. Its transfer is canceled without having run.
    private func refuse(_ error: any Error) async {
        let isKnown = state.withLock { state in
            state.failure = state.failure ?? error
            return state.id != nil
        }
        if isKnown { await cancelNow() } else { await end(error) }
    }

    private var wantedState: WantedState {
        switch task.reportedState {
        case .running: .run
        case .suspended: .rest
        case .canceling, .completed: .nothing
        }
    }

    func cancelNow() async {
        guard let id = state.withLock(\.id) else {
            fail(URLError(.cancelled))
            return await end(Self.canceled(task))
        }
        guard !state.withLock(\.hasEnded) else { return }
        await repeating {
            () async throws(ServiceError) in
            _ = try await self.transfers.place.service().act(.cancel, on: TransferSelection(ids: [id]))
        }
    }

    /// Ends the transfer and calls the handler with its resume data.
    func release(for handler: @escaping @Sendable (Data?) -> Void) async {
        guard state.withLock(\.id) != nil else {
            await Self.call(handler, with: nil)
            return await cancelNow()
        }
        let data = await resumeData()
        state.withLock { $0.released = .some(data) }
        await Self.call(handler, with: data)
    }

    /// Calls the app's handler on a global queue. It may create and resume tasks, which would block on the commands'
    /// executor.
    private static func call(_ handler: @escaping @Sendable (Data?) -> Void, with data: Data?) async {
        await withCheckedContinuation { done in
            DispatchQueue.global().async {
                handler(data)
                done.resume()
            }
        }
    }

    /// Ends the transfer and creates resume data from its partial file.
    func resumeData() async -> Data? {
        if let released = state.withLock(\.released) { return released }
        guard let id = state.withLock(\.id), kind != .data else { return nil }
        let result = Mutex<Data?>(nil)
        await repeating {
            () async throws(ServiceError) in
            guard let source = try await self.transfers.place.service().release(id) else { return }
            if self.kind == .upload {
                let data = self.uploadResumeData(source)
                return result.withLock { $0 = data }
            }
            guard let (kept, directory) = try? self.kept(source) else { return }
            let data = ResumeData(kept, in: directory, task: self.task)?.encoded()
            if data != nil { self.transfers.place.folders.show(kept.path) }
            result.withLock { $0 = data }
        }
        let data = result.withLock { $0 }
        // A second release would return a file that has been moved.
        state.withLock { $0.released = .some(data) }
        return data
    }

    /// Takes over a released partial file. One that continues another download's file has that file's name again.
    private func kept(_ source: PartialSource) throws -> (PartialSource, ResumeData.Directory) {
        if case .downloadContinuing(let data) = task.work {
            let folder = transfers.place.folder(data.directory)
            if data.takeBack(source, in: folder) {
                var kept = source
                kept.path = data.source(in: folder).path
                return (kept, data.directory)
            }
        }
        return try transfers.place.keep(source)
    }

    private func uploadResumeData(_ source: PartialSource) -> Data? {
        guard let upload = source.upload else { return nil }
        return UploadResumeData(task, .file(upload.file), upload.facts, in: transfers.place.folders)?.encoded()
    }

    // MARK: Changes

    func sendChange() async {
        guard let id = state.withLock(\.id), let change = takeChange() else { return }
        do throws(ServiceError) {
            _ = try await transfers.place.service().change(id, change)
        } catch {
            // After any other error the service has rejected the change, and would reject it again.
            guard error.code == .daemonUnreachable else { return }
            // The task's next command sends the change again. If the task ends before that, the change is not needed.
            state.withLock { state in
                state.hasNewRecord = true
                if state.change == nil { state.change = change }
            }
        }
    }

    /// Returns the change to send, with the task's current record; nil if there is none.
    private func takeChange() -> TransferChange? {
        let change = state.withLock { state in
            defer {
                state.change = nil
                state.hasNewRecord = false
            }
            return state.hasNewRecord ? state.change ?? TransferChange() : nil
        }
        guard var change, let record = TaskRecord(task) else { return nil }
        if transfers.place.isDaemon, let error = record.sizeError {
            transfers.logger.error("\(error.localizedDescription) It is lost when the app exits.")
        }
        change.note = transfers.mapping.note(kind, task.taskIdentifier, record)
        return change
    }

    // MARK: -

    /// Repeats a call until the service replies. If the service does not know the transfer, the transfer has vanished.
    private func repeating(_ call: @escaping @Sendable () async throws(ServiceError) -> Void) async {
        while true {
            do throws(ServiceError) {
                return try await call()
            } catch {
                switch error.code {
                case .daemonUnreachable:
                    try? await Task.sleep(for: .milliseconds(200))
                case .unknownTransfer: return vanished()
                default: return await end(URLErrorMapping.error(error, url: task.currentRequest?.url))
                }
            }
        }
    }

    static func canceled(_ task: URLSessionTask, _ error: ServiceError? = nil, data: Data? = nil)
        -> any Error
    {
        URLErrorMapping.error(
            error ?? ServiceError(.canceled, "The task was canceled."), url: task.currentRequest?.url,
            resumeData: data, ofUpload: task is URLSessionUploadTask)
    }
}
