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
