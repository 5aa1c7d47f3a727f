import CFerrySystem
import Dispatch
import Glibc

/// The kernel's default routes.
enum Routes {
    /// Returns the interfaces that are up and have a default route, or `nil` if the kernel does not report them.
    static func uplinks() -> Set<UInt32>? {
        var found = [UInt32](repeating: 0, count: 64)
        let count = unsafe found.withUnsafeMutableBufferPointer {
            unsafe ferry_default_interfaces($0.baseAddress, Int32($0.count))
        }
        return count < 0 ? nil : Set(found.prefix(Int(count)))
    }

    /// Calls the closure whenever an interface or a default route changes. Returns `nil` if the kernel does not report
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
