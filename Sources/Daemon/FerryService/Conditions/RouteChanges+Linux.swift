import CFerrySystem
import Dispatch
import Glibc

/// Changes of the kernel's routes.
enum RouteChanges {
    /// Calls the closure whenever an interface or a route changes. Returns `nil` if the kernel does not report
    /// changes.
    static func watch(_ queue: DispatchQueue, changed: @escaping @Sendable () -> Void) -> DescriptorWatch? {
        let descriptor = ferry_route_watch()
        guard descriptor >= 0 else { return nil }
        return DescriptorWatch(descriptor, queue: queue) {
            if ferry_route_drain(descriptor) != 0 { changed() }
        } close: {
            close(descriptor)
        }
    }
}
