/// Decides whether a socket, or the folder for one, is protected from other users.
///
/// Another user who can rename a folder above the socket can replace it and would receive every request with its
/// passwords. The rule is that of OpenSSH's StrictModes: every component of the path belongs to the user or to root and
/// is not writable by others. A sticky folder such as `/tmp` is allowed, since its entries are protected. A group
/// without members other than the owner counts as the owner.
///
/// In a user namespace that does not map root, as in Flatpak, rootless containers and systemd's `PrivateUsers=`, `/`
/// belongs to the overflow uid, as does every file with an unmapped owner. A folder of such an owner counts as root's
/// if only its owner may write: only root can then have given the user a folder below it. A sticky folder does not,
/// since any user can create one, nor does an entry of a folder that others may write to.
package struct PathTrust: Sendable {
    /// The last component of a path.
    package enum End: Sendable { case folder, socket }

    private let user: UInt32
    private let unknownUser: UInt32?

    /// - Parameters:
    ///   - user: The user who must own the socket.
    ///   - namespace: The user namespace of the process.
    package init(user: UInt32, in namespace: UserNamespace = UserNamespace()) {
        self.user = user
        unknownUser = namespace.unknownUser
    }

    /// Why a path is not trusted, or nil if it is.
    ///
    /// - Parameters:
    ///   - parts: Every folder and link from the root, in order, then the last component.
    ///   - end: The required kind of the last component.
    package func refusal(of parts: [PathFacts], endingIn end: End) -> ServiceError? {
        refusal(ofWay: parts.dropLast())
            ?? parts.last.flatMap { fault(of: $0, end) }.map { ServiceError(.daemonUnreachable, $0) }
    }

    /// Why a folder to be created below these is not trusted, or nil if it is.
    package func refusal(ofWay parts: some Collection<PathFacts>) -> ServiceError? {
        guard user != unknownUser else {
            return ServiceError(
                .daemonUnreachable,
                "This user namespace does not map the user of this process, so Ferry cannot tell its own files "
                    + "from those of others. Map the user into the namespace (unshare --map-current-user does).")
        }
        // Per folder, since links lead to other places.
        var writable: Set<String> = []
        for part in parts {
            if let fault = fault(onTheWay: part, inWritable: writable.contains(Self.folder(of: part.path))) {
                return ServiceError(.daemonUnreachable, fault)
            }
            if part.kind == .folder, part.isWritableByOthers { writable.insert(part.path) }
        }
        return nil
    }

    /// Why the process that listens on a socket is not trusted, or nil if it is.
    package func refusal(ofListener listener: UInt32, at path: String) -> ServiceError? {
        guard listener != user else { return nil }
        return ServiceError(
            .daemonUnreachable,
            "The process that listens on \(path.escapingControls) belongs to user \(listener), not to user \(user). "
                + Self.elsewhere)
    }

    private func fault(onTheWay part: PathFacts, inWritable isInWritable: Bool) -> String? {
        let shown = part.path.escapingControls
        switch part.kind {
        case .folder, .link: break
        case .socket, .other: return "\(shown) is not a folder; move it away."
        }
        if part.owner == unknownUser { return fault(ofUnknown: part, inWritable: isInWritable) }
        guard part.owner == user || part.owner == 0 else {
            return "\(shown), above Ferry's own files, belongs to user \(part.owner), who could replace them. "
                + advice(for: part)
        }
        // The mode of a link has no effect.
        guard part.kind == .folder, part.isWritableByOthers, !part.isSticky else { return nil }
        let fault =
            "The folder \(shown) is writable by other users, who could replace Ferry's files in it. Run chmod go-w on it."
        return part.path == "/" ? fault : "\(fault) If it is to be shared: \(Self.elsewhere)"
    }

    /// Judges a file of an unmapped owner, who may be root.
    private func fault(ofUnknown part: PathFacts, inWritable isInWritable: Bool) -> String? {
        // The group of an unmapped owner is unmapped too, so it is never the user's own.
        let isClosed = part.kind == .link || part.mode & 0o022 == 0
        guard isInWritable || !isClosed else { return nil }
        return
            "\(part.path.escapingControls), above Ferry's own files, belongs to a user that this user namespace does not "
            + "know, and others may write to \(isClosed ? "the folder that it is in" : "it"). " + advice(for: part)
    }

    /// Advice about another user's folder. No setting avoids the root folder.
    private func advice(for part: PathFacts) -> String {
        part.path == "/" ? "It has to belong to root, and only root may write to it." : Self.elsewhere
    }

    private static func folder(of path: String) -> String {
        let end = path.lastIndex(of: "/") ?? path.startIndex
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    private func fault(of part: PathFacts, _ end: End) -> String? {
        let shown = part.path.escapingControls
        let name =
            switch end {
            case .folder: "folder"
            case .socket: "socket"
            }
        guard part.kind == (end == .folder ? .folder : .socket) else {
            return "\(shown) is not a \(name); move it away."
        }
        guard part.owner == user else {
            return "The \(name) \(shown) belongs to user \(part.owner), not to user \(user). " + Self.elsewhere
        }
        guard part.isWritableByOthers else { return nil }
        let mode = end == .folder ? "700" : "600"
        return "The \(name) \(shown) is writable by other users. Run chmod \(mode) on it if it is yours."
    }

    private static let elsewhere =
        "Set FERRY_HOME or XDG_RUNTIME_DIR to a folder that only you may write to."
}

/// Attributes of one component of a path. Symbolic links are not followed.
package struct PathFacts: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case folder, link, socket, other }

    package var path: String
    package var kind: Kind
    package var owner: UInt32
    /// Permission bits, including the sticky bit.
    package var mode: UInt32
    /// Whether its group has no member other than the owner.
    package var isGroupPrivate: Bool
    package var device: UInt64
    package var inode: UInt64

    package init(
        path: String, kind: Kind, owner: UInt32, mode: UInt32, isGroupPrivate: Bool = false, device: UInt64 = 0,
        inode: UInt64 = 0
    ) {
        self.path = path
        self.kind = kind
        self.owner = owner
        self.mode = mode
        self.isGroupPrivate = isGroupPrivate
        self.device = device
        self.inode = inode
    }

    /// Whether users other than the owner may create, rename or remove entries.
    package var isWritableByOthers: Bool { mode & 0o002 != 0 || mode & 0o020 != 0 && !isGroupPrivate }

    /// Whether only their owners may rename or remove entries, as in `/tmp`.
    package var isSticky: Bool { mode & 0o1000 != 0 }

    /// Whether both are the same file.
    package func isSameFile(as other: PathFacts) -> Bool { device == other.device && inode == other.inode }
}

/// The users mapped in the process's user namespace (user_namespaces(7)).
///
/// Files of all other users, including root, have the overflow uid as their owner.
package struct UserNamespace: Sendable {
    /// One line of `/proc/self/uid_map`: a number of users from the first one.
    private struct Range {
        let first: UInt64
        let count: UInt64

        init?(_ line: Substring) {
            // The second number is the first user outside the namespace.
            let numbers = line.split(whereSeparator: \.isWhitespace).map { UInt32($0) }
            guard numbers.count == 3, let first = numbers[0], let count = numbers[2] else { return nil }
            self.first = UInt64(first)
            self.count = UInt64(count)
        }

        func contains(_ user: UInt32) -> Bool { UInt64(user) >= first && UInt64(user) - first < count }
    }

    /// The owner of files of unmapped users.
    ///
    /// Nil if every user is mapped, or if the overflow uid is itself mapped: a file may then really belong to that
    /// user.
    package let unknownUser: UInt32?

    /// An unknown namespace: no owner counts as unmapped.
    package init() { unknownUser = nil }

    /// - Parameters:
    ///   - map: Contents of `/proc/self/uid_map`.
    ///   - overflow: Contents of `/proc/sys/kernel/overflowuid`.
    package init(map: String, overflow: String) {
        let lines = map.split(whereSeparator: \.isNewline)
        let ranges = lines.compactMap(Range.init)
        let user = overflow.split(whereSeparator: \.isWhitespace).first.flatMap { UInt32($0) }
        guard ranges.count == lines.count, let user, !ranges.contains(where: { $0.contains(user) }) else {
            unknownUser = nil
            return
        }
        unknownUser = user
    }
}
