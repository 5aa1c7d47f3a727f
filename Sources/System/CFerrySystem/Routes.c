// Ferry: CFerrySystem
// Default routes, requested from the kernel by rtnetlink.

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
    return header->nlmsg_len < NLMSG_LENGTH(sizeof(struct rtmsg)) ||
           ((struct rtmsg *)NLMSG_DATA(header))->rtm_dst_len == 0;
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
struct interfaces {
    uint32_t *found;
    int capacity;
    int count;
    /// Any socket can request an interface's flags.
    int descriptor;
};

static void add(struct interfaces *list, int index) {
    struct ifreq request = {0};
    if (index <= 0 || !if_indextoname((unsigned)index, request.ifr_name)) return;
    if (ioctl(list->descriptor, SIOCGIFFLAGS, &request) != 0) return;
    if (!(request.ifr_flags & IFF_UP) || !(request.ifr_flags & IFF_RUNNING)) return;
    for (int i = 0; i < list->count && i < list->capacity; i++) {
        if (list->found[i] == (uint32_t)index) return;
    }
    if (list->count < list->capacity) list->found[list->count] = (uint32_t)index;
    list->count++;
}

static void take_route(struct interfaces *list, struct nlmsghdr *header) {
    if (header->nlmsg_len < NLMSG_LENGTH(sizeof(struct rtmsg))) return;
    struct rtmsg *route = NLMSG_DATA(header);
    // An “unreachable” default route has another type.
    if (route->rtm_dst_len != 0 || route->rtm_type != RTN_UNICAST || (route->rtm_flags & RTM_F_CLONED)) return;
    int length = (int)RTM_PAYLOAD(header);
    for (struct rtattr *part = RTM_RTA(route); RTA_OK(part, length); part = RTA_NEXT(part, length)) {
        if (part->rta_type == RTA_OIF && RTA_PAYLOAD(part) >= sizeof(int)) {
            int index;
            memcpy(&index, RTA_DATA(part), sizeof index);
            add(list, index);
        } else if (part->rta_type == RTA_MULTIPATH) {
            struct rtnexthop *hop = RTA_DATA(part);
            int left = (int)RTA_PAYLOAD(part);
            while (left >= (int)sizeof *hop && RTNH_OK(hop, left)) {
                add(list, hop->rtnh_ifindex);
                left -= (int)NLMSG_ALIGN(hop->rtnh_len);
                hop = RTNH_NEXT(hop);
            }
        }
    }
}

static int collect(struct interfaces *list, int descriptor) {
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

int ferry_default_interfaces(uint32_t *interfaces, int capacity) {
    int descriptor = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (descriptor < 0) return -1;
    struct timeval patience = {.tv_sec = 2};
    (void)setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    struct interfaces list = {.found = interfaces, .capacity = capacity};
    list.descriptor = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    // The machine may have IPv6 without IPv4.
    if (list.descriptor < 0) list.descriptor = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int status = list.descriptor < 0 ? -1 : collect(&list, descriptor);
    if (list.descriptor >= 0) close(list.descriptor);
    close(descriptor);
    return status < 0 ? -1 : list.count;
}

#endif
