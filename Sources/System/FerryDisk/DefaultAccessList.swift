/// The default access control list of a folder (acl(5)), which decides about the modes of new files in place of the umask.
package struct DefaultAccessList: Hashable, Sendable {
    /// The extended attribute that holds the list.
    package static let attribute = "system.posix_acl_default"

    private enum Tag {
        static let owner: UInt16 = 0x01
        static let group: UInt16 = 0x04
        static let mask: UInt16 = 0x10
        static let others: UInt16 = 0x20
    }

    private let owner: UInt32
    /// The most that any group and any named user get.
    private let group: UInt32
    private let others: UInt32

    /// Reads the kernel's form: a version, then a tag, permissions and an id for each entry, in little-endian order.
    ///
    /// - Returns: `nil` for anything else.
    package init?(_ bytes: [UInt8]) {
        func number(at place: Int) -> UInt16 { UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8 }
        guard bytes.count > 4, (bytes.count - 4).isMultiple(of: 8), bytes[..<4] == [2, 0, 0, 0] else { return nil }
        var permissions: [UInt16: UInt32] = [:]
        for place in stride(from: 4, to: bytes.count, by: 8) {
            permissions[number(at: place)] = UInt32(number(at: place + 2)) & 0o7
        }
        guard let owner = permissions[Tag.owner], let group = permissions[Tag.mask] ?? permissions[Tag.group],
            let others = permissions[Tag.others]
        else { return nil }
        self.owner = owner
        self.group = group
        self.others = others
    }

    /// Returns the mode that a file created with some mode gets.
    package func applied(to mode: UInt32) -> UInt32 { mode & (owner << 6 | group << 3 | others) }
}
