// Ferry: FerryEngine
// Small parts of large buffers.

import NIOCore

extension ByteBuffer {
    /// The same bytes, in a buffer of their size where they are a small part of a large one.
    ///
    /// Whoever keeps a part keeps its whole buffer, and the connection makes another one, of 256 KiB, for its next read.
    var withoutSlack: ByteBuffer {
        readableBytes * 4 <= storageCapacity ? ByteBuffer(bytes: readableBytesView) : self
    }
}
