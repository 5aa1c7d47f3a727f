// Ferry: CFerrySystem
// The system message bus, through libsystemd where it is installed.

#if defined(__linux__)

#define _GNU_SOURCE
#include "Network.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct sd_bus sd_bus;
typedef struct sd_bus_message sd_bus_message;
typedef struct sd_bus_slot sd_bus_slot;
typedef struct {
    const char *name;
    const char *message;
    int needs_free;
} sd_bus_error;
typedef int (*message_handler)(sd_bus_message *, void *, sd_bus_error *);

/// Loaded on first use, so that programs start on machines without it.
static struct {
    int (*new)(sd_bus **);
    int (*set_address)(sd_bus *, const char *);
    int (*set_bus_client)(sd_bus *, int);
    int (*start)(sd_bus *);
    int (*set_method_call_timeout)(sd_bus *, uint64_t);
    int (*get_fd)(sd_bus *);
    int (*process)(sd_bus *, sd_bus_message **);
    int (*flush)(sd_bus *);
    int (*add_match)(sd_bus *, sd_bus_slot **, const char *, message_handler, void *);
    int (*call_method)(
        sd_bus *, const char *, const char *, const char *, const char *, sd_bus_error *, sd_bus_message **,
        const char *, ...);
    int (*get_property_trivial)(
        sd_bus *, const char *, const char *, const char *, const char *, sd_bus_error *, char, void *);
    int (*get_property_string)(
        sd_bus *, const char *, const char *, const char *, const char *, sd_bus_error *, char **);
    sd_bus_message *(*message_unref)(sd_bus_message *);
    sd_bus *(*close_unref)(sd_bus *);
    bool is_there;
} library;

static void load(void) {
    void *handle = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return;
    bool all = true;
#define FIND(field, name) all = ((*(void **)&library.field = dlsym(handle, name)) != NULL) && all
    FIND(new, "sd_bus_new");
    FIND(set_address, "sd_bus_set_address");
    FIND(set_bus_client, "sd_bus_set_bus_client");
    FIND(start, "sd_bus_start");
    FIND(set_method_call_timeout, "sd_bus_set_method_call_timeout");
    FIND(get_fd, "sd_bus_get_fd");
    FIND(process, "sd_bus_process");
    FIND(flush, "sd_bus_flush");
    FIND(add_match, "sd_bus_add_match");
    FIND(call_method, "sd_bus_call_method");
    FIND(get_property_trivial, "sd_bus_get_property_trivial");
    FIND(get_property_string, "sd_bus_get_property_string");
    FIND(message_unref, "sd_bus_message_unref");
    FIND(close_unref, "sd_bus_flush_close_unref");
#undef FIND
    library.is_there = all;
}

struct ferry_bus {
    sd_bus *bus;
    bool changed;
};

static const char manager[] = "org.freedesktop.NetworkManager";
static const char manager_path[] = "/org/freedesktop/NetworkManager";

ferry_bus *ferry_bus_open(const char *address) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, load);
    if (!library.is_there) return NULL;
    ferry_bus *bus = calloc(1, sizeof *bus);
    if (!bus) return NULL;
    if (library.new(&bus->bus) >= 0 && library.set_address(bus->bus, address) >= 0 &&
        library.set_bus_client(bus->bus, 1) >= 0 && library.start(bus->bus) >= 0) {
        // Microseconds. Do not let a hanging service block the program.
        (void)library.set_method_call_timeout(bus->bus, 2000000);
        return bus;
    }
    ferry_bus_close(bus);
    return NULL;
}

void ferry_bus_close(ferry_bus *bus) {
    if (!bus) return;
    if (bus->bus) (void)library.close_unref(bus->bus);
    free(bus);
}

static int note(sd_bus_message *message, void *data, sd_bus_error *error) {
    (void)message;
    (void)error;
    ((ferry_bus *)data)->changed = true;
    return 0;
}

int ferry_bus_watch_network(ferry_bus *bus) {
    int status = library.add_match(
        bus->bus, NULL,
        "type='signal',sender='org.freedesktop.NetworkManager',path='/org/freedesktop/NetworkManager',"
        "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'",
        note, bus);
    if (status < 0) return status;
    return library.add_match(
        bus->bus, NULL,
        "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',interface='org.freedesktop.DBus',"
        "member='NameOwnerChanged',arg0='org.freedesktop.NetworkManager'",
        note, bus);
}

int ferry_bus_descriptor(ferry_bus *bus) { return library.get_fd(bus->bus); }

int ferry_bus_process(ferry_bus *bus) {
    int status;
    while ((status = library.process(bus->bus, NULL)) > 0) {}
    if (status < 0 || (status = library.flush(bus->bus)) < 0) return status;
    bool changed = bus->changed;
    bus->changed = false;
    return changed ? 1 : 0;
}

/// Whether a bus name has an owner. Asking first avoids activating a service.
static bool has_owner(ferry_bus *bus, const char *name) {
    sd_bus_message *reply = NULL;
    int status = library.call_method(
        bus->bus, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner", NULL, &reply,
        "s", name);
    if (reply) (void)library.message_unref(reply);
    return status >= 0;
}

int ferry_bus_network(ferry_bus *bus, uint32_t *metered, char *type, size_t size) {
    if (size == 0 || !has_owner(bus, manager)) return 0;
    *metered = 0;
    type[0] = 0;
    if (library.get_property_trivial(bus->bus, manager, manager_path, manager, "Metered", NULL, 'u', metered) < 0) {
        return 0;
    }
    char *text = NULL;
    if (library.get_property_string(
            bus->bus, manager, manager_path, manager, "PrimaryConnectionType", NULL, &text) >= 0 &&
        text) {
        strncpy(type, text, size - 1);
        type[size - 1] = 0;
    }
    free(text);
    return 1;
}

int ferry_bus_preparing_for_shutdown(ferry_bus *bus) {
    static const char login[] = "org.freedesktop.login1";
    int is_preparing = 0;
    if (!has_owner(bus, login)) return 0;
    int status = library.get_property_trivial(
        bus->bus, login, "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PreparingForShutdown", NULL, 'b',
        &is_preparing);
    return status >= 0 && is_preparing ? 1 : 0;
}

int ferry_bus_manager_is_stopping(ferry_bus *bus) {
    static const char systemd[] = "org.freedesktop.systemd1";
    char *state = NULL;
    if (!has_owner(bus, systemd)) return 0;
    int status = library.get_property_string(
        bus->bus, systemd, "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", "SystemState", NULL, &state);
    int is_stopping = status >= 0 && state && strcmp(state, "stopping") == 0;
    free(state);
    return is_stopping;
}

#endif
