// Ferry: CFerrySystem
// Default routes and own subnets, requested from the kernel by rtnetlink.

#if defined(__linux__)

#define _GNU_SOURCE
#include "Network.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

int ferry_route_watch(void) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE};
    if (bind(descriptor, (struct sockaddr *)&address, sizeof address) == 0) return descriptor;
    close(descriptor);
    return -1;
}

static int concerns(struct nlmsghdr *header) {
    if (header->nlmsg_type == RTM_NEWLINK || header->nlmsg_type == RTM_DELLINK) return 1;
    if (header->nlmsg_type != RTM_NEWROUTE && header->nlmsg_type != RTM_DELROUTE) return 0;
    if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct rtmsg))) return 1;
    struct rtmsg *route = NLMSG_DATA(header);
    if (route->rtm_dst_len == 0) return 1;
    // A router has many routes through gateways. They matter for nobody's own subnet.
    int length = (int)RTM_PAYLOAD(header);
    for (struct rtattr *part = RTM_RTA(route); RTA_OK(part, length); part = RTA_NEXT(part, length)) {
        if (part->rta_type == RTA_GATEWAY || part->rta_type == RTA_VIA || part->rta_type == RTA_MULTIPATH) return 0;
    }
    return 1;
}

int ferry_route_drain(int descriptor) {
    char buffer[32768] __attribute__((aligned(NLMSG_ALIGNTO)));
    int result = 0;
    for (;;) {
        ssize_t count = recv(descriptor, buffer, sizeof buffer, MSG_DONTWAIT);
        if (count > 0) {
            int length = (int)count;
            for (struct nlmsghdr *header = (struct nlmsghdr *)buffer; NLMSG_OK(header, length);
                 header = NLMSG_NEXT(header, length)) {
                result |= concerns(header);
            }
        } else if (count < 0 && errno == ENOBUFS) {
            // Messages were dropped. Assume a change.
            result = 1;
        } else if (count == 0 || errno != EINTR) {
            return result;
        }
    }
}

/// Result of a route dump.
struct routes {
    struct ferry_route *found;
    int capacity;
    int count;
    /// Any socket can request an interface's flags.
    int descriptor;
};

static void add(struct routes *list, const struct ferry_route *route) {
    struct ifreq request = {0};
    if (route->interface == 0 || !if_indextoname(route->interface, request.ifr_name)) return;
    if (ioctl(list->descriptor, SIOCGIFFLAGS, &request) != 0) return;
    if (!(request.ifr_flags & IFF_UP) || !(request.ifr_flags & IFF_RUNNING)) return;
    if (request.ifr_flags & IFF_LOOPBACK) return;
    for (int i = 0; i < list->count && i < list->capacity; i++) {
        if (memcmp(&list->found[i], route, sizeof *route) == 0) return;
    }
    if (list->count < list->capacity) {
        list->found[list->count++] = *route;
    } else if (route->prefix == 0 && list->capacity > 0) {
        // A default route is worth more than one of many subnets.
        list->found[list->capacity - 1] = *route;
    }
}

static void take_route(struct routes *list, struct nlmsghdr *header) {
    if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct rtmsg))) return;
    struct rtmsg *route = NLMSG_DATA(header);
    // An “unreachable” default route has another type.
    if (route->rtm_type != RTN_UNICAST || (route->rtm_flags & RTM_F_CLONED)) return;
    if (route->rtm_family != AF_INET && route->rtm_family != AF_INET6) return;
    struct ferry_route found = {.is_ipv6 = route->rtm_family == AF_INET6, .prefix = route->rtm_dst_len};
    int has_gateway = 0;
    struct rtattr *hops = NULL;
    int length = (int)RTM_PAYLOAD(header);
    for (struct rtattr *part = RTM_RTA(route); RTA_OK(part, length); part = RTA_NEXT(part, length)) {
        if (part->rta_type == RTA_OIF && RTA_PAYLOAD(part) >= sizeof found.interface) {
            memcpy(&found.interface, RTA_DATA(part), sizeof found.interface);
        } else if (part->rta_type == RTA_DST && RTA_PAYLOAD(part) <= sizeof found.address) {
            memcpy(found.address, RTA_DATA(part), RTA_PAYLOAD(part));
        } else if (part->rta_type == RTA_GATEWAY || part->rta_type == RTA_VIA) {
            has_gateway = 1;
        } else if (part->rta_type == RTA_MULTIPATH) {
            hops = part;
        }
    }
    if (found.prefix > 0) {
        // Every interface has the subnet of link-local addresses.
        int is_link_local = found.is_ipv6 && found.address[0] == 0xFE && (found.address[1] & 0xC0) == 0x80;
        int is_multicast = found.is_ipv6 && found.address[0] == 0xFF;
        if (!has_gateway && !is_link_local && !is_multicast) add(list, &found);
        return;
    }
    if (!hops) return add(list, &found);
    struct rtnexthop *hop = RTA_DATA(hops);
    int left = (int)RTA_PAYLOAD(hops);
    while (left >= (int)sizeof *hop && RTNH_OK(hop, left)) {
        found.interface = (uint32_t)hop->rtnh_ifindex;
        add(list, &found);
        left -= (int)NLMSG_ALIGN(hop->rtnh_len);
        hop = RTNH_NEXT(hop);
    }
}

static int collect(struct routes *list, int descriptor) {
    struct {
        struct nlmsghdr header;
        struct rtmsg route;
    } request = {
        .header = {.nlmsg_len = sizeof request, .nlmsg_type = RTM_GETROUTE, .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
                   .nlmsg_seq = 1},
        .route = {.rtm_family = AF_UNSPEC}};
    if (send(descriptor, &request, sizeof request, 0) < 0) return -1;
    char buffer[65536] __attribute__((aligned(NLMSG_ALIGNTO)));
    for (;;) {
        ssize_t count = recv(descriptor, buffer, sizeof buffer, 0);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return -1;
        int length = (int)count;
        for (struct nlmsghdr *header = (struct nlmsghdr *)buffer; NLMSG_OK(header, length);
             header = NLMSG_NEXT(header, length)) {
            if (header->nlmsg_type == NLMSG_DONE) return 0;
            if (header->nlmsg_type == NLMSG_ERROR) return -1;
            if (header->nlmsg_type == RTM_NEWROUTE) take_route(list, header);
        }
    }
}

int ferry_routes(struct ferry_route *routes, int capacity) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct timeval patience = {.tv_sec = 2};
    (void)setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    struct routes list = {.found = routes, .capacity = capacity};
    list.descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    // The machine may have IPv6 without IPv4.
    if (list.descriptor < 0) list.descriptor = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int status = list.descriptor < 0 ? -1 : collect(&list, descriptor);
    if (list.descriptor >= 0) close(list.descriptor);
    close(descriptor);
    return status < 0 ? -1 : list.count;
}

#endif
