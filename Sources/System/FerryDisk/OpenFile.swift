import FerryFoundation

/// An open file or folder. Closed when its last reference is released.
package final class OpenFile: Sendable {
    package let descriptor: CInt
    package let path: String

    package init(descriptor: CInt, path: String) {
        self.descriptor = descriptor
        self.path = path
    }

    deinit { close(descriptor) }
}
