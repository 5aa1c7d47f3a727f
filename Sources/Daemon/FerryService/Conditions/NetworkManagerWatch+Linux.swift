import Dispatch
import FerryCore
import Synchronization

/// The network kind reported by NetworkManager, with all its changes, also when NetworkManager starts or stops.
final class NetworkManagerWatch: Sendable {
    private let bus: SystemBus
    private let changed: @Sendable (NetworkKind) -> Void
    private let ended: @Sendable () -> Void

    private let descriptor = Mutex<DescriptorWatch?>(nil)

    /// Returns `nil` if there is no bus. Create and use it on the queue, which also calls the closures.
    init?(
        address: String, queue: DispatchQueue, changed: @escaping @Sendable (NetworkKind) -> Void,
        ended: @escaping @Sendable () -> Void
    ) {
        guard let bus = SystemBus(address: address), bus.watchNetwork() else { return nil }
        self.bus = bus
        self.changed = changed
        self.ended = ended
        // The last reference closes the bus, after the descriptor watch has ended.
        let watch = DescriptorWatch(bus.descriptor, queue: queue) { [weak self] in
            self?.read()
        } close: {
            _ = bus
        }
        descriptor.withLock { $0 = watch }
    }

    /// Reads pending bus messages and reports the current state.
    func read() {
        // Reading a reply may also queue signals. The descriptor does not announce them.
        var kind = bus.networkKind
        while let hasChanged = bus.process() {
            guard hasChanged else { return changed(kind) }
            kind = bus.networkKind
        }
        stop()
        ended()
    }

    func stop() { descriptor.withLock { $0.take() }?.stop() }
}
