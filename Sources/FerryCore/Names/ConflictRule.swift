/// What the conflict policy makes of a name that something has.
///
/// Everything that gives a file its name asks here: the admission of a request, a run at the first head and at the end, a
/// rename by the user, and a process that moves its finished file to the place that it wants.
package struct ConflictRule: Hashable, Sendable {
    /// When the question is asked.
    package enum Moment: CaseIterable, Sendable {
        /// No byte is fetched yet: a name that could not be given at the end is refused.
        case beforeFetch
        /// As `beforeFetch`, where bytes stay whatever has the name: the placement alone refuses it.
        case beforeFetchKeepingBytes
        /// The whole file is about to get its name.
        case placement
        /// A file that is in its place is about to get another name.
        case rename
    }

    /// What has a name.
    package enum Holder: CaseIterable, Sendable {
        case nothing
        /// Anything but a folder.
        case file
        case folder
        /// Another live transfer, whose file will be there.
        case transfer
    }

    package enum Verdict: Hashable, Sendable {
        /// The file gets the name; what has it is replaced.
        case take
        /// The next number is tried.
        case useNextName
        /// The file that is there stays, and the transfer has succeeded with it.
        case keepExisting
        case refuse(ServiceError)
    }

    package let policy: ConflictPolicy
    package let moment: Moment

    package init(_ policy: ConflictPolicy, at moment: Moment) {
        self.policy = policy
        self.moment = moment
    }

    /// The numbers that are tried; 0 is the name itself.
    package var numbers: ClosedRange<Int> { 0...(numbersNames ? 9999 : 0) }

    /// Whether a name that is taken leads to another one.
    package var numbersNames: Bool { policy == .unique }

    /// Whether the file takes the place of one that has its name, in one step.
    package var replaces: Bool {
        // The user renames: no server was asked whether it has another version.
        policy == .replace || (policy == .update && moment != .rename)
    }

    /// Judges a path by what has it.
    ///
    /// - Parameter id: Of a transfer that has it, if it is known.
    package func verdict(on path: String, heldBy holder: Holder, _ id: TransferID? = nil) -> Verdict {
        if holder == .nothing { return .take }
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

    /// The error of a path that is taken, with all its numbers where numbers are tried.
    package static func exists(_ path: String) -> ServiceError {
        ServiceError(
            .destinationExists,
            "\(path.escapingControls) exists already; choose another name or another conflict policy.")
    }
}

extension TransferRequest {
    /// The rule until the file is whole.
    package var admissionRule: ConflictRule {
        ConflictRule(onConflict, at: partialFolder == nil ? .beforeFetch : .beforeFetchKeepingBytes)
    }
}
