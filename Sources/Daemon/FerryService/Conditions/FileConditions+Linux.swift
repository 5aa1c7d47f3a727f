import Dispatch
import FerryCore
package import FerryQueue
package import FerryRules
import Foundation
import Glibc
package import Logging
import Synchronization

/// Conditions read from the file in `FERRY_CONDITIONS_FILE`, instead of all other sources, so that every policy can be
/// tested.
///
/// The file may be replaced or written in place. While it does not exist, no transfer is restricted. While it is
/// incomplete, the previous conditions apply.
package final class FileConditions: ConditionSource {
    private struct State {
        var report = ConditionReport()
        var folder: DescriptorWatch?
        var changed: (@Sendable () -> Void)?
        var isStopped = false
    }

    private let path: String
    private let logger: Logger
    private let queue = DispatchQueue(label: "conditions file")
    private let state = Mutex(State())

    package init(path: String, logger: Logger) {
        self.path = URL(fileURLWithPath: path).path
        self.logger = logger
    }

    package let concernsLoopback = true

    package var report: ConditionReport { state.withLock(\.report) }

    package func watch(_ needs: ConditionNeeds, changed: @escaping @Sendable () -> Void) {
        let isFirst = state.withLock { state in
            defer { state.changed = changed }
            return state.changed == nil
        }
        // Watch before reading, so that no change is missed in between.
        queue.async { [self] in
            if isFirst { open() }
            read(known: needs)
        }
    }

    package func pollPower(every seconds: Int?) {}

    package func stop() {
        let folder = state.withLock { state in
            state.isStopped = true
            state.changed = nil
            return state.folder.take()
        }
        folder?.stop()
    }

    // MARK: The file

    private func open() {
        let descriptor = inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        let events = UInt32(IN_CLOSE_WRITE | IN_MODIFY | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE)
        guard descriptor >= 0,
            unsafe inotify_add_watch(descriptor, (path as NSString).deletingLastPathComponent, events) >= 0
        else {
            logger.error("the conditions file is not watched", metadata: ["file": "\(path)", "errno": "\(errno)"])
            if descriptor >= 0 { close(descriptor) }
            return
        }
        let folder = DescriptorWatch(descriptor, queue: queue) { [weak self] in
            if self?.takeEvents(descriptor) == true { self?.read(known: []) }
        } close: {
            Glibc.close(descriptor)
        }
        let isStopped = state.withLock { state in
            if !state.isStopped { state.folder = folder }
            return state.isStopped
        }
        if isStopped { folder.stop() }
    }

    /// Reads the folder's pending events. Returns whether any of them concerns the file.
    private func takeEvents(_ descriptor: Int32) -> Bool {
        let name = Array((path as NSString).lastPathComponent.utf8)
        let head = MemoryLayout<inotify_event>.size
        var concerns = false
        var buffer = [UInt8](repeating: 0, count: 16_384)
        while true {
            let count = unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { return concerns }
            var start = 0
            while start + head <= count {
                let event = unsafe buffer.withUnsafeBytes {
                    unsafe $0.loadUnaligned(fromByteOffset: start, as: inotify_event.self)
                }
                let end = min(count, start + head + Int(event.len))
                // An event without a name concerns the folder itself, or reports lost events.
                if event.len == 0 || buffer[(start + head)..<end].prefix(while: { $0 != 0 }).elementsEqual(name) {
                    concerns = true
                }
                start = end
            }
        }
    }

    private func read(known: ConditionNeeds) {
        let bytes = FileManager.default.contents(atPath: path)
        let conditions = bytes.map(ConditionsFile.conditions) ?? Conditions()
        if conditions == nil, let bytes, !bytes.isEmpty {
            logger.warning("the conditions file is not JSON that is understood", metadata: ["file": "\(path)"])
        }
        let changed: (@Sendable () -> Void)? = state.withLock { state in
            let before = state.report
            if let conditions { state.report.conditions = conditions }
            state.report.known.formUnion(known)
            return state.report == before ? nil : state.changed
        }
        changed?()
    }
}
