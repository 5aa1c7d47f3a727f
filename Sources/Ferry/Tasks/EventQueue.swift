import Synchronization

/// The events that one observer of a task has not read: every change of state, and the newest progress.
///
/// A reader that has stopped costs no more than `capacity` events: the oldest changes between the first and the last go.
final class EventQueue: Sendable {
    private struct State {
        var events: [DownloadEvent] = []
        var reader: CheckedContinuation<DownloadEvent?, Never>?
        var isOver = false
    }

    /// Events that are kept for a reader that does not read.
    static let capacity = 256

    private let state = Mutex(State())

    /// Adds an event; nothing is taken after the one that ends the sequence.
    func add(_ event: DownloadEvent) {
        let (reader, next): (CheckedContinuation<DownloadEvent?, Never>?, DownloadEvent?) = state.withLock { state in
            guard !state.isOver else { return (nil, nil) }
            if event.endsSequence { state.isOver = true }
            if let reader = state.reader {
                state.reader = nil
                return (reader, event)
            }
            if case .progress = event, case .progress = state.events.last {
                state.events[state.events.count - 1] = event
            } else {
                if state.events.count >= Self.capacity { state.events.remove(at: 1) }
                state.events.append(event)
            }
            return (nil, nil)
        }
        reader?.resume(returning: next)
    }

    /// The next event; nil after the last one, or if the reader's task is canceled.
    func next() async -> DownloadEvent? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let next: DownloadEvent?? = state.withLock { state in
                    if !state.events.isEmpty { return .some(state.events.removeFirst()) }
                    if state.isOver || Task.isCancelled { return .some(nil) }
                    state.reader = continuation
                    return .none
                }
                if let next { continuation.resume(returning: next) }
            }
        } onCancel: {
            let reader = state.withLock { state in
                defer { state.reader = nil }
                return state.reader
            }
            reader?.resume(returning: nil)
        }
    }
}

extension DownloadEvent {
    /// Whether nothing comes after it.
    var endsSequence: Bool {
        switch self {
        case .succeeded, .failed, .canceled, .removed: true
        case .state, .response, .restarted, .progress: false
        }
    }
}
