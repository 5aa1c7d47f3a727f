/// Judges whether a socket, or a folder for one, is out of reach for other users.
///
/// Another user who can rename a folder above the socket can put a socket of their own there, and would get every request
/// with its passwords. The rule is that of OpenSSH's StrictModes: what is on the way belongs to the user or to root, and
/// others may not write to it. A sticky folder such as `/tmp` may be on the way: its entries are safe from others. A group
/// that has no member but the owner is the owner.
package struct PathTrust: Sendable {
    /// What stands at the end of a path.
    package enum End: Sendable { case folder, socket }

    private let user: UInt32

    /// - Parameter user: The user whose socket it has to be.
    package init(user: UInt32) { self.user = user }

    /// Why a path cannot be trusted; nil if it can.
    ///
    /// - Parameters:
    ///   - parts: Every folder and link on the way from the root, in order, then what stands at the end.
    ///   - end: What has to stand there.
    package func refusal(of parts: [PathFacts], endingIn end: End) -> TransferError? {
        refusal(ofWay: parts.dropLast())
            ?? parts.last.flatMap { fault(of: $0, end) }.map { TransferError(.daemonUnreachable, $0) }
    }

    /// Why a folder that is to be made below these cannot be trusted; nil if it can.
    package func refusal(ofWay parts: some Collection<PathFacts>) -> TransferError? {
        parts.lazy.compactMap(fault(onTheWay:)).first.map { TransferError(.daemonUnreachable, $0) }
    }

    /// Why the process that listens on a socket cannot be trusted; nil if it can.
    package func refusal(ofListener listener: UInt32, at path: String) -> TransferError? {
        guard listener != user else { return nil }
        return TransferError(
            .daemonUnreachable,
            "The process that listens on \(path.escapingControls) belongs to user \(listener), not to user \(user). "
                + Self.elsewhere)
    }

    private func fault(onTheWay part: PathFacts) -> String? {
        let shown = part.path.escapingControls
        switch part.kind {
        case .folder, .link: break
        case .socket, .other: return "\(shown) is no folder; move it away."
        }
        guard part.owner == user || part.owner == 0 else {
            return "\(shown), above Ferry's own files, belongs to user \(part.owner), who could replace them. "
                + Self.elsewhere
        }
        // The mode of a link means nothing.
        guard part.kind == .folder, part.isWritableByOthers, !part.isSticky else { return nil }
        return "Others may write to the folder \(shown) and so replace Ferry's own files below it; run chmod go-w on "
            + "it. If it is to be shared: " + Self.elsewhere
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
