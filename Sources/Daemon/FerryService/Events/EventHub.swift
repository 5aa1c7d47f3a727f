import FerryCore
import FerryEngine
import FerryQueue
import Foundation
import Synchronization

/// Delivers events to listeners, each at its own speed.
///
/// Each listener's queue is bounded (``EventQueue``). A listener whose queue is full falls behind, and catches up from
/// the journal and the ``EventBacklog``, so one that does not read neither delays transfers nor fills the memory.
actor EventHub {
    private let pages: EventPages
    private let clock: any MachineClock
    private nonisolated let home: any Actor
    // SAFETY: The actor keeps alive what owns the executor.
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe home.unownedExecutor }
    private var listeners: EventListeners
    private var order: EventOrder
    /// How long an event waits for its predecessors. After that, listeners read those from the journal.
    private let patience: Duration
    /// Detects events that are held back for too long.
    private var gapWatch: Task<Void, Never>?
    /// Wakes the paced listeners after a pause.
    private var pause: Task<Void, Never>?
    private var isFinished = false
    /// Number of listeners that want events that are not in the journal.
    private nonisolated let liveListeners = Atomic(0)

    init(
        journal: any Journal, lastNumber: Int64, home: any Actor,
        clock: any MachineClock = SystemClock(), patience: Duration = .seconds(1)
    ) {
        self.home = home
        self.clock = clock
        pages = EventPages(home: home) { request throws(ServiceError) in
            try await journal.read { reader throws(ServiceError) in try reader.page(request) }
        }
        self.patience = patience
        order = EventOrder(last: lastNumber)
        listeners = EventListeners(lastNumber: lastNumber)
    }

    /// Number of the latest durable event delivered to all listeners.
    var lastNumber: Int64 { order.last }

    /// Publishes an event to all listeners. Durable events are delivered in number order, whatever the order of the
    /// calls.
    func publish(_ event: TransferEvent) { deliver(ordered(event)) }

    /// Publishes several events.
    func publish(_ events: [TransferEvent]) { deliver(events.flatMap(ordered)) }

    /// Publishes events that were recorded together.
    func publish(_ run: EventRun) { deliver(order.add(run)) }

    /// Returns what can be delivered now that an event has come.
    private func ordered(_ event: TransferEvent) -> [EventOrder.Delivery] {
        guard let number = event.number, !order.follows(number) else { return [.event(event)] }
        return order.add(event, number)
    }

    private func deliver(_ deliveries: [EventOrder.Delivery]) {
        for next in deliveries { listeners.offer(next) }
        if order.isFull { skipGap() } else { watchGap() }
        wakeListeners()
    }

    /// Wakes the listeners with pending events, some of them after a pause.
    private func wakeListeners() {
        guard let length = listeners.wakePrompt(), pause == nil, !isFinished else { return }
        pause = Task(name: "pause of event listeners") { [weak self, clock] in
            try? await clock.sleep(for: length)
            await self?.endPause()
        }
    }

    private func endPause() {
        pause = nil
        listeners.wakePending()
    }

    // MARK: Missing numbers

    /// Ensures that a number that is never published does not hold back later events.
    private func watchGap() {
        guard order.isHeld, gapWatch == nil, !isFinished else { return }
        let last = order.last
        gapWatch = Task(name: "events that are kept back") { [weak self, patience, clock] in
            try? await clock.sleep(for: patience)
            await self?.endGap(after: last)
        }
    }

    private func endGap(after last: Int64) {
        gapWatch = nil
        guard !isFinished else { return }
        if order.isHeld, order.last == last { skipGap() } else { watchGap() }
        wakeListeners()
    }

    private func skipGap() {
        order.skip()
        listeners.skip(through: order.last)
    }

    /// Whether any listener wants events that are not in the journal.
    nonisolated var hasLiveListeners: Bool { liveListeners.load(ordering: .acquiring) > 0 }

    /// The shortest sample interval of any listener, or `nil` if none wants samples.
    var sampleInterval: Double? { listeners.sampleInterval }

    /// Returns a stream for one listener. It finishes with the hub, or as its subscription says.
    func listen(
        _ subscription: EventSubscription, ended: @escaping @Sendable (TransferID) async -> Bool
    ) throws(ServiceError) -> AsyncThrowingStream<TransferEvent, any Error> {
        let (id, guardian) = try add(EventListener(subscription, lastNumber: lastNumber))
        return AsyncThrowingStream { [weak self] in
            _ = guardian
            guard let self, case .event(let event) = try await self.next(id, ended: ended) else { return nil }
            return event
        }
    }

    /// Maximum number of events delivered together. They wait in memory, encoded, while a client does not read.
    private static let largestGroup = 16

    /// Returns a stream like ``listen(_:ended:)``, with all pending events grouped.
    func listenInGroups(
        _ subscription: EventSubscription, ended: @escaping @Sendable (TransferID) async -> Bool
    ) throws(ServiceError) -> AsyncThrowingStream<[TransferEvent], any Error> {
        let (id, guardian) = try add(EventListener(subscription, inGroups: true, lastNumber: lastNumber))
        return AsyncThrowingStream { [weak self] in
            _ = guardian
            return try await self?.nextGroup(id, ended: ended)
        }
    }

    private func nextGroup(
        _ id: Int, ended: @Sendable (TransferID) async -> Bool
    ) async throws(ServiceError) -> [TransferEvent]? {
        guard case .event(let first) = try await next(id, ended: ended) else { return nil }
        var group = [first]
        while group.count < Self.largestGroup, case .signal(.event(let event))? = listeners.take(id) {
            group.append(event)
        }
        return group
    }

    /// Returns a stream for a session's client.
    ///
    /// - Parameter isBrief: Whether the client accepts short events.
    /// - Returns: The stream, and the listener number for ``end(_:)``.
    func signals(
        _ subscription: EventSubscription, isBrief: Bool
    ) throws(ServiceError) -> (listener: Int, signals: AsyncThrowingStream<SessionSignal, any Error>) {
        let (id, guardian) = try add(EventListener(subscription, isBrief: isBrief, lastNumber: lastNumber))
        let signals = AsyncThrowingStream { [weak self] () async throws -> SessionSignal? in
            _ = guardian
            guard let self else { return nil }
            return try await self.next(id) { _ in false }
        }
        return (id, signals)
    }

    /// Ends the stream of a listener. Pending events are dropped.
    func end(_ id: Int) { remove(id) }

    /// Maximum number of listeners.
    static let mostListeners = 512

    private func add(_ listener: EventListener) throws(ServiceError) -> (id: Int, guardian: StreamGuardian) {
        guard listeners.count < Self.mostListeners else {
            throw ServiceError(
                .daemonUnreachable,
                "\(Self.mostListeners) event streams are open, which is the maximum. End a program that listens.")
        }
        let id = listeners.add(listener)
        if !listener.subscription.endsAlone { liveListeners.add(1, ordering: .acquiringAndReleasing) }
        let guardian = StreamGuardian { [weak self] in
            Task(name: "end of listener \(id)") { await self?.remove(id) }
        }
        return (id, guardian)
    }

    func finish() {
        isFinished = true
        gapWatch?.cancel()
        pause?.cancel()
        listeners.wake()
    }

    // MARK: -

    private func remove(_ id: Int) {
        guard let listener = listeners.remove(id) else { return }
        if !listener.subscription.endsAlone { liveListeners.subtract(1, ordering: .acquiringAndReleasing) }
        listener.leave()
    }

    private func next(
        _ id: Int, ended: @Sendable (TransferID) async -> Bool
    ) async throws(ServiceError) -> SessionSignal? {
        while !Task.isCancelled, listeners[id] != nil {
            // Do not hold the listener in a variable: each change would copy it with its whole queue.
            switch listeners.take(id) {
            case .signal(let signal): return signal
            case .range(let range):
                try await read(range, for: id)
                continue
            case nil: break
            }
            if isFinished { return nil }
            if listeners[id]?.subscription.endsWithTransfers == true, await allEnded(id, ended) {
                // Check again: the last event may have arrived while the transfers were looked up.
                guard listeners[id]?.isEmpty != false else { continue }
                break
            }
            await wait(id)
        }
        remove(id)
        return nil
    }

    /// Whether no more events can come. Transfers that finished before the listener came are looked up once. Later
    /// completions arrive as events.
    private func allEnded(_ id: Int, _ ended: @Sendable (TransferID) async -> Bool) async -> Bool {
        guard let listener = listeners[id], listener.subscription.ids != nil else { return false }
        if !listener.knowsEnded {
            for transfer in listener.unfinished where await ended(transfer) { listeners[id]?.noteEnded(transfer) }
            listeners[id]?.knowsEnded = true
        }
        return listeners[id]?.unfinished.isEmpty ?? false
    }

    /// Reads events for a listener from the journal, page by page.
    private func read(_ range: EventQueue.Range, for id: Int) async throws(ServiceError) {
        guard let (subscription, isBrief) = listeners[id].map({ ($0.subscription, $0.isBrief) }) else { return }
        let request = EventPages.Request(range, subscription, isBrief: isBrief)
        // Not as an argument of `fill`: the listener would be accessed while the page is awaited.
        let page = try await pages.page(request)
        listeners[id]?.fill(range, with: page)
    }

    private func wait(_ id: Int) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if Task.isCancelled || listeners[id] == nil { return continuation.resume() }
                listeners[id]?.park(continuation)
            }
        } onCancel: {
            Task(name: "wake of listener \(id)") { await self.wake(id) }
        }
    }

    private func wake(_ id: Int) { listeners[id]?.wake() }
}
