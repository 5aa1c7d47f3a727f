import Dispatch
import FerryAPI
import FerryCore
import FerryService
import FerrySystem
import Foundation
import Glibc

/// Notifies when the socket's path may lead elsewhere. Wakes the process for nothing else.
///
/// The kernel reports changes in the socket's folder, and moved or removed folders and links above it. If inotify is
/// unavailable (`fs.inotify.max_user_instances`), the path is checked every 2 seconds. Changes in a folder without read
/// permission, and mounts above the socket, are not reported.
final class SocketWatch: Sendable {
    private let path: String
    private let descriptor: Int32
    private let watch: DescriptorWatch?
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    /// Time between two checks without kernel notifications.
    private static let interval = Duration.seconds(2)
    private static let ofItself = UInt32(IN_MOVE_SELF | IN_DELETE_SELF | IN_DONT_FOLLOW)
    private static let ofEntries = UInt32(IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO)

    init(path: String) {
        self.path = path
        (changes, change) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        let (descriptor, change) = (inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK)), change)
        self.descriptor = descriptor
        guard descriptor >= 0 else {
            watch = nil
            return
        }
        watch = DescriptorWatch(descriptor, queue: DispatchQueue(label: "control socket")) {
            // The events are only drained. Checking the socket shows the change.
            var buffer = [UInt8](repeating: 0, count: 4096)
            while unsafe Glibc.read(descriptor, &buffer, buffer.count) > 0 {}
            change.yield()
        } close: {
            Glibc.close(descriptor)
        }
    }

    deinit { watch?.stop() }

    /// Watches the current path to the socket. Later changes end the next wait.
    func arm() {
        guard watch != nil else { return }
        let way = PathWay(to: path).parts.filter { $0.kind == .folder || $0.kind == .link }
        for (index, part) in way.enumerated() {
            // The deepest folder contains the socket, or the missing part of the path once it is created.
            let events = Self.ofItself | (index == way.count - 1 ? Self.ofEntries : 0)
            // Changes of a folder that cannot be watched are found by the next check.
            _ = unsafe inotify_add_watch(descriptor, part.path, events)
        }
    }

    /// Waits for a change.
    ///
    /// - Parameter briefly: Whether to return after 2 seconds even without a change. If inotify is unavailable, this is
    ///   always done.
    func wait(briefly: Bool) async {
        let change = change
        let clock =
            briefly || watch == nil
            ? Task(name: "the next look at the control socket") {
                try await Task.sleep(for: Self.interval)
                change.yield()
            } : nil
        defer { clock?.cancel() }
        for await _ in changes { return }
    }
}
