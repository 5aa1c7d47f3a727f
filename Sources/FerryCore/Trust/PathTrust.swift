/// Judges whether a socket, or a folder for one, is out of reach for other users.
///
/// Another user who can rename a folder above the socket can put a socket of their own there, and would get every request
/// with its passwords. The rule is that of OpenSSH's StrictModes: what is on the way belongs to the user or to root, and
/// others may not write to it. A sticky folder such as `/tmp` may be on the way: its entries are safe from others. A group
/// that has no member but the owner is the owner.
///
/// In a user namespace that does not know root, as Flatpak, rootless containers and systemd's `PrivateUsers=` make them, `/`
/// belongs to the overflow uid, as everything else does whose owner is unknown there. A folder of such an owner counts as
/// root's where only its owner may write: root alone can then have given the user a folder below it. A sticky one does
/// not, as any user can make one, nor does an entry of a folder that others may write to.
package struct PathTrust: Sendable {
    /// What stands at the end of a path.
    package enum End: Sendable { case folder, socket }

    private let user: UInt32
    private let unknownUser: UInt32?

    /// - Parameters:
    ///   - user: The user whose socket it has to be.
    ///   - namespace: The user namespace in which owners are seen.
    package init(user: UInt32, in namespace: UserNamespace = UserNamespace()) {
        self.user = user
        unknownUser = namespace.unknownUser
    }

    /// Why a path cannot be trusted; nil if it can.
    ///
    /// - Parameters:
    ///   - parts: Every folder and link on the way from the root, in order, then what stands at the end.
    ///   - end: What has to stand there.
    package func refusal(of parts: [PathFacts], endingIn end: End) -> ServiceError? {
        refusal(ofWay: parts.dropLast())
            ?? parts.last.flatMap { fault(of: $0, end) }.map { ServiceError(.daemonUnreachable, $0) }
    }

    /// Why a folder that is to be made below these cannot be trusted; nil if it can.
    package func refusal(ofWay parts: some Collection<PathFacts>) -> ServiceError? {
        guard user != unknownUser else {
            return ServiceError(
                .daemonUnreachable,
                "This user namespace does not know the user of this process, so that Ferry cannot tell files of its own "
                    + "from those of others. Map the user into the namespace (unshare --map-current-user does).")
        }
        // Folder by folder, as links lead to other places.
        var writable: Set<String> = []
        for part in parts {
            if let fault = fault(onTheWay: part, inWritable: writable.contains(Self.folder(of: part.path))) {
                return ServiceError(.daemonUnreachable, fault)
            }
            if part.kind == .folder, part.isWritableByOthers { writable.insert(part.path) }
        }
        return nil
    }

    /// Why the process that listens on a socket cannot be trusted; nil if it can.
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
        case .socket, .other: return "\(shown) is no folder; move it away."
        }
        if part.owner == unknownUser { return fault(ofUnknown: part, inWritable: isInWritable) }
        guard part.owner == user || part.owner == 0 else {
            return "\(shown), above Ferry's own files, belongs to user \(part.owner), who could replace them. "
                + advice(for: part)
        }
        // The mode of a link means nothing.
        guard part.kind == .folder, part.isWritableByOthers, !part.isSticky else { return nil }
        let fault =
            "Others may write to the folder \(shown) and so replace Ferry's own files below it; run chmod go-w on it."
        return part.path == "/" ? fault : "\(fault) If it is to be shared: \(Self.elsewhere)"
    }

    /// Judges what belongs to a user whom the namespace does not know, and who may be root.
    private func fault(ofUnknown part: PathFacts, inWritable isInWritable: Bool) -> String? {
        // The group of an unknown user is unknown too, so that it is never the user's own.
        let isClosed = part.kind == .link || part.mode & 0o022 == 0
        guard isInWritable || !isClosed else { return nil }
        return
            "\(part.path.escapingControls), above Ferry's own files, belongs to a user that this user namespace does not "
            + "know, and others may write to \(isClosed ? "the folder that it is in" : "it"). " + advice(for: part)
    }

    /// What to do about a folder of another user: all folders are below the root, which no setting leads around.
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
        guard part.kind == (end == .folder ? .folder : .socket) else { return "\(shown) is no \(name); move it away." }
        guard part.owner == user else {
            return "The \(name) \(shown) belongs to user \(part.owner), not to user \(user). " + Self.elsewhere
        }
        guard part.isWritableByOthers else { return nil }
        let mode = end == .folder ? "700" : "600"
        return "Others may write to the \(name) \(shown); run chmod \(mode) on it if it is yours."
    }

    private static let elsewhere =
        "Set FERRY_HOME or XDG_RUNTIME_DIR to a folder that only you may write to."
}

/// What the system knows of one part of a path; a symbolic link is itself.
package struct PathFacts: Hashable, Sendable {
    package enum Kind: Hashable, Sendable { case folder, link, socket, other }

    package var path: String
    package var kind: Kind
    package var owner: UInt32
    /// Permission bits, with the sticky bit.
    package var mode: UInt32
    /// Whether its group has no member but the owner.
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

    /// Whether users other than the owner may add, rename or remove entries.
    package var isWritableByOthers: Bool { mode & 0o002 != 0 || mode & 0o020 != 0 && !isGroupPrivate }

    /// Whether entries may be renamed or removed by their owners alone, as in `/tmp`.
    package var isSticky: Bool { mode & 0o1000 != 0 }

    /// Whether both are the same file.
    package func isSameFile(as other: PathFacts) -> Bool { device == other.device && inode == other.inode }
}

/// The users that the process's user namespace knows (user_namespaces(7)).
///
/// Files of all other users, root's own among them, show the overflow uid as their owner.
package struct UserNamespace: Sendable {
    /// One line of `/proc/self/uid_map`: so many users from the first one.
    private struct Range {
        let first: UInt64
        let count: UInt64

        init?(_ line: Substring) {
            // The middle number is the first user of the range outside.
            let numbers = line.split(whereSeparator: \.isWhitespace).map { UInt32($0) }
            guard numbers.count == 3, let first = numbers[0], let count = numbers[2] else { return nil }
            self.first = UInt64(first)
            self.count = UInt64(count)
        }

        func contains(_ user: UInt32) -> Bool { UInt64(user) >= first && UInt64(user) - first < count }
    }

    /// The owner that files of users outside the namespace show.
    ///
    /// Nil where every user is known, and where the overflow uid is a user of the namespace too: such a file may then be
    /// that user's.
    package let unknownUser: UInt32?

    /// A namespace of which nothing is known: no owner is taken for an unknown user.
    package init() { unknownUser = nil }

    /// - Parameters:
    ///   - map: The text of `/proc/self/uid_map`.
    ///   - overflow: The text of `/proc/sys/kernel/overflowuid`.
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
