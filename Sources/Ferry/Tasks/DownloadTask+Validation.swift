// Ferry: Ferry
// Whether a task's file is the one that was expected.

import FerryCore
import Foundation
import Synchronization

extension DownloadTask {
    /// Compares the file with a code: while it is downloaded, or at once if it is there.
    ///
    /// The code is stored with the task. With the policy `.fail` a file of another code does not come to its place.
    /// - Parameters:
    ///   - code: hexadecimal digits in any case.
    ///   - handler: called once when ``validation`` is decided.
    @discardableResult
    public func validateFile(
        code: String, type: FileChecksumHelper.VerificationType, onMainQueue: Bool = true,
        handler: @escaping Handler<DownloadTask>
    ) -> Self {
        state.withLock { state in
            let slot = Slot(line: DeliveryLine(onMainQueue: onMainQueue), call: handler, number: 0)
            state.validations.append(slot)
        }
        guard let session, session.has(self) else {
            Deliveries.of(self).add(.own) { self.decide(nil) }
            return self
        }
        session.validate(self, Checksum(type, code))
        return self
    }

    /// Notes what was found, and calls those who wait for it.
    func decide(_ result: Validation?) {
        let slots = state.withLock { state in
            if let result { state.note.validation?.result = result.rawValue }
            defer { state.validations = [] }
            return state.validations
        }
        for slot in slots { Deliveries.of(self).add(slot.line) { slot.call(self) } }
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

    /// Compares each task's file with the code of the same place.
    ///
    /// With another number of codes nothing is compared, and each handler is called once.
    @discardableResult
    public func validateFile(
        codes: [String], type: FileChecksumHelper.VerificationType, onMainQueue: Bool = true,
        handler: @escaping Handler<DownloadTask>
    ) -> [Element] {
        guard codes.count == count else {
            let error = FileChecksumHelper.FileVerificationError.codeMismatch(code: "\(codes.count) codes")
            first?.session?.log { .error("\(codes.count) codes are not one for each task.", error: error) }
            for task in self { Deliveries.of(task).add(DeliveryLine(onMainQueue: onMainQueue)) { handler(task) } }
            return self
        }
        for (task, code) in zip(self, codes) {
            task.validateFile(code: code, type: type, onMainQueue: onMainQueue, handler: handler)
        }
        return self
    }
}

extension ManagedSession {
    /// Compares a task's file with a code, now or when it is there.
    func validate(_ task: DownloadTask, _ checksum: Checksum) {
        let note = task.state.withLock { state in
            state.note.validation = TaskNote.Validation(code: checksum.code, type: checksum.type)
            return state.note
        }
        guard let wanted = checksum.core else {
            // No file has a code of this length.
            let code = checksum.code.trimmingCharacters(in: .whitespacesAndNewlines)
            let error: any Error =
                code.isEmpty
                ? FileChecksumHelper.FileVerificationError.codeEmpty
                : FileChecksumHelper.FileVerificationError.codeMismatch(code: checksum.code)
            log { .error("A file was not compared.", error: error) }
            task.decide(.incorrect)
            return storeNote(of: task)
        }
        let policy = state.withLock(\.configuration).checksumMismatchPolicy
        change(task, done: { _ in self.compareIfThere(task, checksum) }) {
            var change = TransferChange()
            var note = note
            note.validation?.result = nil
            change.note = self.place.note(note.text)
            // A file that is there is compared here, and stays whatever is found.
            if task.state.withLock(\.stored) != .succeeded {
                change.checksums = [wanted]
                change.onMismatch = policy == .fail ? .fail : .keep
            }
            return change
        }
    }

    private func compareIfThere(_ task: DownloadTask, _ checksum: Checksum) {
        let (isThere, isDecided) = task.state.withLock { ($0.stored == .succeeded, $0.validation != .unknown) }
        guard isThere else { return }
        if isDecided { return tellValidation(task, after: nil) }
        FileChecksumHelper.validateFile(task.filePath, code: checksum.code, type: checksum.type) { result in
            if case .failure(let error) = result { self.log { .error("A file was compared.", error: error) } }
            task.decide((try? result.get()) == true ? .correct : .incorrect)
            self.storeNote(of: task)
        }
    }

    /// Compares a file whose code came too late to be compared while it was written.
    func compareUndecided(_ task: DownloadTask, after mark: DeliveryMark?) {
        guard let validation = task.state.withLock(\.note.validation), validation.result == nil else { return }
        FileChecksumHelper.validateFile(task.filePath, code: validation.code, type: validation.type) { result in
            if case .failure(let error) = result { self.log { .error("A file was compared.", error: error) } }
            let found = (try? result.get()) == true ? DownloadTask.Validation.correct : .incorrect
            task.state.withLock { $0.note.validation?.result = found.rawValue }
            self.tellValidation(task, after: mark)
            self.storeNote(of: task)
        }
    }

    /// Stores what was found.
    private func storeNote(of task: DownloadTask) {
        change(task, done: { _ in }) {
            var change = TransferChange()
            change.note = self.place.note(task.state.withLock(\.note).text)
            return change
        }
    }
}
