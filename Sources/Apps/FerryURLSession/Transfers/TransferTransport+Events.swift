import FerryCore
import Foundation
import FoundationNetworking
import Synchronization

/// Events of the transfer.
extension TransferTransport {
    /// Processes a snapshot of the transfer.
    ///
    /// - Parameter isKept: Whether it had finished before this process attached.
    func observe(_ transfer: Transfer, isKept: Bool = false) {
        guard !state.withLock(\.hasEnded) else { return }
        guard !transfer.state.isEnded else { return finish(transfer, isKept: isKept) }
        notify(transfer)
        if let challenge = transfer.challenge { ask(challenge) }
    }

    /// Handles a transfer that the service does not know: it was removed, but not by this process.
    func vanished() {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        guard isFirst else { return }
        relay.endsEarly()
        let id = state.withLock(\.id)
        Task(name: "end of a task") {
            await relay.complete(Self.canceled(task), metrics: [])
            if let id { transfers.forget(id) }
        }
    }

    private func notify(_ transfer: Transfer) {
        let steps = state.withLock { $0.shown.steps(for: transfer, now: Date()) }
        // As on Apple's systems, a background session does not report that it waits for connectivity.
        for step in steps where step != .waitsForConnectivity || !transfers.place.isDaemon { relay.show(step) }
    }

    // MARK: The end

    private func finish(_ transfer: Transfer, isKept: Bool) {
        guard transfers.ended(transfer.id, isKept: isKept) else { return }
        // Pending answers of the delegate are not needed.
        relay.endsEarly()
        state.withLock { state in
            state.hasEnded = true
            state.begin?.cancel()
        }
        guard isKept else {
            Task(name: "end of a task") { await deliverEnd(transfer) }
            return
        }
        transfers.kept.add { await self.deliverEnd(transfer) }
    }

    private func deliverEnd(_ transfer: Transfer) async {
        // Earlier commands of the app finish first.
        await commands.perform {}
        await transfers.place.mayDeliver()
        notify(transfer)
        await deliver(transfer)
        transfers.finished(transfer.id)
    }

    private func deliver(_ transfer: Transfer) async {
        let metrics = transfer.exchanges
        let isCancelled = task.reportedState == .canceling
        if transfer.state == .succeeded, !isCancelled {
            if let error = await deliverResult(of: transfer) {
                await relay.complete(error, metrics: metrics)
            } else {
                await relay.complete(nil, metrics: metrics)
                if transfers.place.isDaemon { await removeResult() }
            }
            return
        }
        if let failure = state.withLock(\.failure), !isCancelled {
            return await relay.complete(failure, metrics: metrics)
        }
        let isUseless = kind == .upload && transfer.error.map { UploadResumeData.areUseless(after: $0) } ?? false
        let data = isUseless ? nil : await resumeData()
        let error = transfer.error ?? ServiceError(.canceled, "The task was canceled.")
        guard transfer.state == .failed, !isCancelled else {
            let canceled = error.code == .canceled ? error : nil
            return await relay.complete(Self.canceled(task, canceled, data: data), metrics: metrics)
        }
        await relay.complete(
            URLErrorMapping.error(error, url: task.currentRequest?.url, resumeData: data, ofUpload: kind == .upload),
            metrics: metrics)
    }

    /// Removes the file that the delegate left in the spool, after the operations that the delegate has queued in the
    /// meantime.
    private func removeResult() async {
        await relay.calls.run {}
        task.takeLeftFile()?.remove()
    }

    /// Delivers the result.
    ///
    /// - Returns: The error if that fails; nil otherwise.
    private func deliverResult(of transfer: Transfer) async -> (any Error)? {
        guard let path = transfer.destination else { return nil }
        // A missing file was delivered by a process that then crashed (docs/behaviour/url-session.md#50).
        var facts = stat()
        guard unsafe lstat(path, &facts) == 0 else {
            return errno == ENOENT ? nil : URLError.failing(.cannotOpenFile, task.currentRequest?.url)
        }
        if kind == .upload {
            guard let data = FileManager.default.contents(atPath: path) else {
                return URLError.failing(.cannotOpenFile, task.currentRequest?.url)
            }
            if !data.isEmpty { await relay.data(data) }
            return nil
        }
        do {
            // The app may have set an invalid digest after resuming the task. The transfer then had nothing to verify.
            _ = try task.options.expectedDigest?.checksum()
            let place = try FilePlacement.place(
                path, task: task, status: transfer.response?.status, outlivesTransfer: !transfers.place.isDaemon)
            if place.stays { await relay.finished(place.file) } else { await relay.finishedTemporary(place.file) }
            return nil
        } catch let error as URLError {
            return error.failing(task.currentRequest?.url)
        } catch {
            return error
        }
    }

    /// Completes a task without a transfer, or with a transfer that cannot be reached.
    func end(_ error: any Error) async {
        let isFirst = state.withLock { state in
            defer { state.hasEnded = true }
            return !state.hasEnded
        }
        guard isFirst else { return }
        relay.endsEarly()
        // Not awaited: the delegate may call the task, whose commands wait for this one.
        Task(name: "end of a task") {
            await transfers.place.mayDeliver()
            await relay.complete(error, metrics: [])
            if let id = state.withLock(\.id) { transfers.forget(id) }
        }
    }

    /// Fails a task whose work ended with an earlier process.
    func lose(_ error: any Error) { Task(name: "end of a task") { await end(error) } }

    // MARK: Challenges

    /// Asks the delegate about the challenge that the transfer waits for, once.
    private func ask(_ challenge: PendingChallenge) {
        let isNew = state.withLock { state in
            defer { state.asked = challenge }
            return state.asked != challenge
        }
        guard isNew, let id = state.withLock(\.id) else { return }
        transfers.asked()
        Task(name: "challenge of a task") {
            defer { transfers.answered() }
            await transfers.place.mayDeliver()
            guard let request = task.currentRequest else { return }
            let advisor = ClientAdvisor(relay: relay, configuration: transfers.mapping.configuration, request: request)
            var change = TransferChange()
            switch challenge {
            case .authentication(let challenge): change.answer = await advisor.answer(challenge)
            case .trust(let challenge): change.trustAnswer = await advisor.answer(challenge)
            }
            _ = try? await transfers.place.service().change(id, change)
            // The same challenge may be asked again after this, for example when a server forgets the credentials.
            state.withLock { if $0.asked == challenge { $0.asked = nil } }
        }
    }
}
