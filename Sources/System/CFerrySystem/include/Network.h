// Ferry: CFerrySystem
// Network and shutdown state, from the kernel and the system message bus.

#ifndef FERRY_NETWORK_H
#define FERRY_NETWORK_H

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

/// Opens a descriptor that becomes readable when a route or a network interface changes. -1 if the kernel refuses.
int ferry_route_watch(void);

/// Reads all pending messages of a `ferry_route_watch` descriptor. Returns whether any concerns interfaces or routes.
int ferry_route_drain(int descriptor);

/// A default route, or the route to an interface's own subnet.
struct ferry_route {
    uint32_t interface;
    uint8_t is_ipv6;
    /// Length of the subnet's prefix in bits. 0 for a default route.
    uint8_t prefix;
    /// The subnet in network byte order, 4 or 16 bytes.
    uint8_t address[16];
};

/// Finds the default routes and own subnets of interfaces that are up. The loopback interface and link-local subnets are
/// left out.
///
/// Returns the number of those stored, at most `capacity`, or -1 if the kernel does not report them.
int ferry_routes(struct ferry_route *routes, int capacity);

/// A connection to the system's message bus. Used by one thread at a time.
typedef struct ferry_bus ferry_bus;

/// Connects to a bus by its address. NULL if there is no such bus, or no libsystemd.
ferry_bus *ferry_bus_open(const char *address);

void ferry_bus_close(ferry_bus *bus);

/// Subscribes to changes of NetworkManager, and to its start and stop. Negative on failure.
int ferry_bus_watch_network(ferry_bus *bus);

/// The descriptor that becomes readable when the bus has messages.
int ferry_bus_descriptor(ferry_bus *bus);

/// Processes pending messages: 1 if a watched value has changed, 0 if not, negative if the connection is closed.
int ferry_bus_process(ferry_bus *bus);

/// Asks NetworkManager whether the network is metered, and for the type of the primary connection.
///
/// Returns 1, or 0 if NetworkManager is absent or does not reply.
int ferry_bus_network(ferry_bus *bus, uint32_t *metered, char *type, size_t size);

/// Asks logind whether the machine is shutting down: 1 if so, else 0.
int ferry_bus_preparing_for_shutdown(ferry_bus *bus);

/// Asks the service manager of a bus (the user's, on the user's bus) whether it is stopping: 1 if so, else 0.
int ferry_bus_manager_is_stopping(ferry_bus *bus);

#endif
#endif
