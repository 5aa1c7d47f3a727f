// Ferry: FerryEngine
// An open file descriptor with an owner.

import Foundation

/// An open file or folder; closed when its last owner lets go.
package final class OpenFile: Sendable {
    package let descriptor: CInt
    package let path: String

    package init(descriptor: CInt, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }
}
