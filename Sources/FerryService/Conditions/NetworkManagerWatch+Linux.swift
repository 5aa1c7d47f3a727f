import Dispatch
import FerryCore
import Synchronization

/// The network's kind, as NetworkManager has it, and every change of it, also when NetworkManager comes or goes.
final class NetworkManagerWatch: Sendable {
    private let bus: SystemBus
    private let changed: @Sendable (NetworkKind) -> Void
    private let ended: @Sendable () -> Void

    private let descriptor = Mutex<DescriptorWatch?>(nil)

    /// Nil where there is no bus. Made and used on the queue, where the closures are called too.
    init?(
        address: String, queue: DispatchQueue, changed: @escaping @Sendable (NetworkKind) -> Void,
        ended: @escaping @Sendable () -> Void
    ) {
        guard let bus = SystemBus(address: address), bus.watchNetwork() else { return nil }
        self.bus = bus
        self.changed = changed
        self.ended = ended
        // The bus is closed with the last reference to it, after the descriptor is not waited at.
        let watch = DescriptorWatch(bus.descriptor, queue: queue) { [weak self] in
            self?.read()
        } close: {
            _ = bus
        }
        descriptor.withLock { $0 = watch }
    }

    /// Takes in what the bus says and tells what holds now.
    func read() {
        // Answers bring along signals that no longer show at the descriptor.
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
