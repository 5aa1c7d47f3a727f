import Dispatch
import FerryAPI
import FerryCore
import FerryService
import Foundation
import Glibc

/// Tells when the name of the socket may lead elsewhere, and wakes the process for nothing else.
///
/// The kernel tells of changes in the socket's folder, and of folders and links above it that are moved or removed. Where it
/// cannot (`fs.inotify.max_user_instances`, a folder that may not be read), and where something is mounted above the socket,
/// nothing is told.
final class SocketWatch: Sendable {
    private let path: String
    private let descriptor: Int32
    private let watch: DescriptorWatch?
    private let changes: AsyncStream<Void>
    private let change: AsyncStream<Void>.Continuation

    /// Seconds between two looks where the kernel tells nothing.
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
            // What has happened is seen by a look at the socket.
            var buffer = [UInt8](repeating: 0, count: 4096)
            while unsafe Glibc.read(descriptor, &buffer, buffer.count) > 0 {}
            change.yield()
        } close: {
            Glibc.close(descriptor)
        }
    }

    deinit { watch?.stop() }

    /// Watches the way to the socket as it is; changes from then on end the next wait.
    func arm() {
        guard watch != nil else { return }
        let way = PathWay(to: path).parts.filter { $0.kind == .folder || $0.kind == .link }
        for (index, part) in way.enumerated() {
            // The deepest folder is the socket's, or where what is missing on the way will be made.
            let events = Self.ofItself | (index == way.count - 1 ? Self.ofEntries : 0)
            // A folder that cannot be watched is one whose changes are seen a look later.
            _ = unsafe inotify_add_watch(descriptor, part.path, events)
        }
    }

    /// Waits for a change; no longer than a moment if there is something else to wait for.
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
