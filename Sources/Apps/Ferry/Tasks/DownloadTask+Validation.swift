import FerryCore
import Foundation
import Synchronization

/// Validation of a task's file.
extension DownloadTask {
    /// Compares the file with a checksum: while it is downloaded, or immediately if it exists.
    ///
    /// The checksum is stored with the task. With the policy `.fail` a file with another checksum is not placed.
    /// - Parameters:
    ///   - code: Hexadecimal digits in any case.
    ///   - type: The algorithm.
    ///   - onMainQueue: Whether to call the handler on the main queue. Otherwise it is called on the operation queue.
    ///   - handler: Called once when ``validation`` is decided.
    @discardableResult
    public func validateFile(
        code: String, type: FileChecksumHelper.VerificationType, onMainQueue: Bool = true,
        handler: @escaping Handler<DownloadTask>
    ) -> Self {
        let slot = Slot(line: DeliveryQueue(onMainQueue: onMainQueue), call: handler, number: 0)
        if let session, session.has(self) {
            validate(Checksum(type, code), in: session, slot)
        } else {
            Deliveries.of(self).add(slot.line) { handler(self) }
        }
        return self
    }
}

extension Array where Element == DownloadTask {
    /// Calls a closure for each task, as ``DownloadTask/progress(onMainQueue:handler:)`` does.
    @discardableResult
    public func progress(onMainQueue: Bool = true, handler: @escaping Handler<DownloadTask>) -> [Element] {
        for task in self { task.progress(onMainQueue: onMainQueue, handler: handler) }
        return self
    }

    /// Calls a closure for each task, as ``DownloadTask/success(onMainQueue:handler:)`` does.
    @discardableResult
    public func success(onMainQueue: Bool = true, handler: @escaping Handler<DownloadTask>) -> [Element] {
        for task in self { task.success(onMainQueue: onMainQueue, handler: handler) }
        return self
    }

    /// Calls a closure for each task, as ``DownloadTask/failure(onMainQueue:handler:)`` does.
    @discardableResult
    public func failure(onMainQueue: Bool = true, handler: @escaping Handler<DownloadTask>) -> [Element] {
        for task in self { task.failure(onMainQueue: onMainQueue, handler: handler) }
        return self
    }

    /// Compares each task's file with the checksum at the same index.
    ///
    /// If the numbers differ, nothing is compared, and each handler is called once.
    @discardableResult
    public func validateFile(
        codes: [String], type: FileChecksumHelper.VerificationType, onMainQueue: Bool = true,
        handler: @escaping Handler<DownloadTask>
    ) -> [Element] {
        guard codes.count == count else {
            let error = FileChecksumHelper.FileVerificationError.codeMismatch(code: "\(codes.count) codes")
            first?.session?.log { .error("\(codes.count) checksums do not match the number of tasks.", error: error) }
            for task in self { Deliveries.of(task).add(DeliveryQueue(onMainQueue: onMainQueue)) { handler(task) } }
            return self
        }
        for (task, code) in zip(self, codes) {
            task.validateFile(code: code, type: type, onMainQueue: onMainQueue, handler: handler)
        }
        return self
    }
}

extension DownloadTask {
    /// Compares the file with a checksum, immediately or when it exists.
    ///
    /// - Parameter slot: Called once that is decided.
    private func validate(_ checksum: Checksum, in session: ManagedSession, _ slot: Slot<DownloadTask>) {
        let policy = session.state.withLock(\.configuration).checksumMismatchPolicy
        let (note, isThere) = state.withLock { state in
            state.closures.addValidation(slot)
            state.note.validation = TaskNote.Validation(code: checksum.code, type: checksum.type)
            return (state.note, state.stored == .succeeded)
        }
        guard let wanted = checksum.core ?? (policy == .fail && !isThere ? checksum.unmatched : nil) else {
            return refuse(checksum, in: session)
        }
        session.change(self, done: { _ in self.compareIfThere(in: session) }) {
            var change = TransferChange()
            change.note = session.place.note(note.text)
            // An existing file is compared here, and stays whatever the result.
            if self.state.withLock(\.stored) != .succeeded {
                change.checksums = [wanted]
                change.onMismatch = policy == .fail ? .fail : .keep
            }
            return change
        }
    }

    /// Decides an impossible checksum that nothing depends on.
    private func refuse(_ checksum: Checksum, in session: ManagedSession) {
        let error: FileChecksumHelper.FileVerificationError =
            checksum.digits.isEmpty ? .codeEmpty : .codeMismatch(code: checksum.code)
        session.log { .error("A file was not compared.", error: error) }
        state.withLock { $0.note.validation?.result = DownloadTask.Validation.incorrect.rawValue }
        storeNote(in: session) { session.notifyValidation(self, after: nil) }
    }

    private func compareIfThere(in session: ManagedSession) {
        let (isThere, isDecided) = state.withLock { ($0.stored == .succeeded, $0.validation != .unknown) }
        guard isThere else { return }
        if isDecided { session.notifyValidation(self, after: nil) } else { compareUndecided(in: session, after: nil) }
    }

    /// Compares a file whose checksum came too late to be verified while it was written.
    func compareUndecided(in session: ManagedSession, after mark: DeliveryMark?) {
        guard let wanted = state.withLock(\.note.validation), wanted.result == nil else { return }
        FileChecksumHelper.validateFile(filePath, code: wanted.code, type: wanted.type) { result in
            if case .failure(let error) = result { session.log { .error("A file was compared.", error: error) } }
            let found = (try? result.get()) == true ? DownloadTask.Validation.correct : .incorrect
            let isDecided = self.state.withLock { state in
                // A checksum set meanwhile is compared separately.
                guard state.note.validation == wanted else { return false }
                state.note.validation?.result = found.rawValue
                return true
            }
            guard isDecided else { return }
            self.storeNote(in: session) { session.notifyValidation(self, after: mark) }
        }
    }

    /// Stores the result if the daemon responds.
    private func storeNote(in session: ManagedSession, then: @escaping @Sendable () -> Void) {
        session.change(self, done: { _ in then() }) {
            var change = TransferChange()
            change.note = session.place.note(self.state.withLock(\.note).text)
            return change
        }
    }
}
