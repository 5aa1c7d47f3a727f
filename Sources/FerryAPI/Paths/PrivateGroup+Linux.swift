import Foundation

/// The groups that systems make for one user each, so that a folder of mode 775 is still the user's own.
enum PrivateGroup {
    // Names and members of such a group are a few bytes.
    private static let room = 16 << 10

    /// Whether a group bears the name of this user and has no other member.
    static func isPrivate(_ number: gid_t, of user: uid_t) -> Bool {
        guard let name = name(of: user) else { return false }
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { buffer -> Bool in
            guard let start = buffer.baseAddress else { return false }
            var entry = unsafe group()
            var found: UnsafeMutablePointer<group>?
            guard unsafe getgrgid_r(number, &entry, start, buffer.count, &found) == 0, unsafe found != nil,
                let own = unsafe entry.gr_name, unsafe String(cString: own) == name
            else { return false }
            var members = unsafe entry.gr_mem
            while let list = unsafe members, let member = unsafe list.pointee {
                guard unsafe String(cString: member) == name else { return false }
                unsafe members = list + 1
            }
            return true
        }
    }

    private static func name(of user: uid_t) -> String? {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: room) { buffer -> String? in
            guard let start = buffer.baseAddress else { return nil }
            var entry = unsafe passwd()
            var found: UnsafeMutablePointer<passwd>?
            let result = unsafe getpwuid_r(user, &entry, start, buffer.count, &found)
            guard result == 0, unsafe found != nil, let name = unsafe entry.pw_name else { return nil }
            return unsafe String(cString: name)
        }
    }
}
