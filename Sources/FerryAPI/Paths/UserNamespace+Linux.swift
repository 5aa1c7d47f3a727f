package import FerryCore
import Foundation

extension UserNamespace {
    /// The namespace of this process, read once: a map is written before a program starts in its namespace.
    ///
    /// Without /proc nothing is known of it.
    package static let own: UserNamespace = {
        guard let map = text("/proc/self/uid_map"), let overflow = text("/proc/sys/kernel/overflowuid") else {
            return UserNamespace()
        }
        return UserNamespace(map: map, overflow: overflow)
    }()

    private static func text(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }
}
