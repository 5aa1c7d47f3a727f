// Ferry: CFerrySystem
// What the kernel and the system's bus say about networks and about the machine's end.

#ifndef FERRY_NETWORK_H
#define FERRY_NETWORK_H

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>

/// Opens a descriptor that becomes readable when a route or a network interface changes; -1 where the kernel refuses.
int ferry_route_watch(void);

/// Reads away what a descriptor of `ferry_route_watch` has to say: whether it concerns interfaces or default routes.
int ferry_route_drain(int descriptor);

/// Finds the interfaces that are up and carry a default route.
///
/// Returns how many there are, of which `capacity` are stored, or -1 where the kernel does not say.
int ferry_default_interfaces(uint32_t *interfaces, int capacity);

/// A connection to the system's message bus. Used by one thread at a time.
typedef struct ferry_bus ferry_bus;

/// Connects to a bus by its address; NULL where there is none, or no libsystemd to speak to it with.
ferry_bus *ferry_bus_open(const char *address);

void ferry_bus_close(ferry_bus *bus);

/// Asks for word of NetworkManager's changes, its arrival and its departure; negative on failure.
int ferry_bus_watch_network(ferry_bus *bus);

/// The descriptor that becomes readable when the bus has something to say.
int ferry_bus_descriptor(ferry_bus *bus);

/// Takes in what the bus has to say: 1 if something that is watched has changed, 0 if not, negative if the connection is gone.
int ferry_bus_process(ferry_bus *bus);

/// Asks NetworkManager whether the network is metered, and for the type of the primary connection.
///
/// Returns 1, or 0 where there is no NetworkManager or it does not answer.
int ferry_bus_network(ferry_bus *bus, uint32_t *metered, char *type, size_t size);

/// Asks logind whether the machine is shutting down: 1 if it is, else 0.
int ferry_bus_preparing_for_shutdown(ferry_bus *bus);

/// Asks the service manager of a bus (the user's, on the user's bus) whether it is stopping: 1 if it is, else 0.
int ferry_bus_manager_is_stopping(ferry_bus *bus);

#endif
#endif
