import CFerrySystem
package import FerryCore

/// The kernel's routes to other machines.
package struct NetworkRoutes: Hashable, Sendable {
    /// The interfaces that are up and have a default route.
    package var uplinks: Set<UInt32> = []
    /// The subnets of interfaces that are up, which are reached without a default route.
    package var subnets: Set<Subnet> = []

    package init() {}

    /// Reads the routes. Returns nil if the kernel does not report them.
    package static func read() -> NetworkRoutes? {
        var found = [ferry_route](repeating: ferry_route(), count: 256)
        let count = unsafe found.withUnsafeMutableBufferPointer {
            unsafe ferry_routes($0.baseAddress, Int32($0.count))
        }
        guard count >= 0 else { return nil }
        var routes = NetworkRoutes()
        for route in found.prefix(Int(count)) {
            guard route.prefix > 0 else {
                routes.uplinks.insert(route.interface)
                continue
            }
            let bytes = unsafe withUnsafeBytes(of: route.address) { unsafe Array($0) }
            if let address = IPAddress(bytes: route.is_ipv6 == 0 ? Array(bytes.prefix(4)) : bytes) {
                routes.subnets.insert(Subnet(address, prefix: Int(route.prefix)))
            }
        }
        return routes
    }
}
