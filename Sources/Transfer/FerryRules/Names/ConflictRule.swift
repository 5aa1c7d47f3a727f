package import FerryCore

/// Applies the conflict policy to a name that is taken.
///
/// Used wherever a file gets its name: at admission, at the first response head and at placement, by a rename of the
/// user's, and by a process that moves its finished file to its own destination.
package struct ConflictRule: Hashable, Sendable {
    /// When the rule is applied.
    package enum Moment: CaseIterable, Sendable {
        /// No byte is fetched yet. A name that could not be given at placement is refused.
        case beforeFetch
        /// Like `beforeFetch`, but a taken name costs no bytes. Only placement refuses it.
        case beforeFetchKeepingBytes
        /// The complete file is about to get its name.
        case placement
        /// A placed file is about to be renamed.
        case rename
    }

    /// The holder of a name.
    package enum Holder: CaseIterable, Sendable {
        case nothing
        /// A regular file or a link.
        case file
        case folder
        /// A device, a FIFO or a socket. Never replaced, and no reason to use another name: it was probably named to be
        /// written to.
        case special
        /// Another live transfer with this destination.
        case transfer
    }

    package enum Verdict: Hashable, Sendable {
        /// The file gets the name and replaces the holder.
        case take
        /// The next number is used.
        case useNextName
        /// The existing file stays, and the transfer succeeds with it.
        case keepExisting
        case refuse(ServiceError)
    }

    package let policy: ConflictPolicy
    package let moment: Moment

    package init(_ policy: ConflictPolicy, at moment: Moment) {
        self.policy = policy
        self.moment = moment
    }

    /// A form of a name, with a number. Number 0 is the name itself.
    package struct NumberedName: Hashable, Sendable {
        package let number: Int
        package let name: String
    }

    /// Returns the forms of a name to try, in order.
    ///
    /// - Parameter first: The number of the first form.
    package func names(of name: String, from first: Int = 0) -> some RandomAccessCollection<NumberedName> {
        (0...(numbersNames ? 9999 : 0)).dropFirst(first).lazy.map { number in
            NumberedName(number: number, name: FileName.numbered(name, number))
        }
    }

    /// Whether a taken name gets a number.
    package var numbersNames: Bool { policy == .unique }

    /// Whether the file atomically replaces an existing one.
    package var replaces: Bool {
        // A rename does not compare versions with the server.
        policy == .replace || (policy == .update && moment != .rename)
    }

    /// Decides about a path with a holder.
    ///
    /// - Parameter id: The transfer that holds it, if known.
    package func verdict(on path: String, heldBy holder: Holder, _ id: TransferID? = nil) -> Verdict {
        if holder == .nothing { return .take }
        if holder == .special { return .refuse(Self.isNoFile(path)) }
        if policy == .unique { return .useNextName }
        if holder == .transfer {
            let who = id.map { "Transfer \($0)" } ?? "Another transfer"
            return .refuse(ServiceError(.destinationExists, "\(who) is fetching to \(path.escapingControls)."))
        }
        if policy == .skip, moment != .rename { return .keepExisting }
        if moment == .beforeFetchKeepingBytes { return .take }
        guard replaces else { return .refuse(Self.exists(path)) }
        guard holder == .folder else { return .take }
        return .refuse(
            ServiceError(.destinationExists, "\(path.escapingControls) is a folder and is not replaced."))
    }

    private static func isNoFile(_ path: String) -> ServiceError {
        ServiceError(
            .destinationExists,
            "\(path.escapingControls) is a device, a FIFO or a socket, which no file replaces; choose another name.")
    }

    /// The error of a taken path, or of a path with all its numbers taken.
    package static func exists(_ path: String) -> ServiceError {
        ServiceError(
            .destinationExists,
            "\(path.escapingControls) exists already; choose another name or another conflict policy.")
    }
}

extension TransferRequest {
    /// The rule that applies until the file is complete.
    package var admissionRule: ConflictRule {
        ConflictRule(file.onConflict, at: file.partialFolder == nil ? .beforeFetch : .beforeFetchKeepingBytes)
    }
}
