import FerryFoundation

/// The standard input, output and error of this process.
package enum StandardStreams {
    /// Opens `/dev/null` for each closed standard stream.
    ///
    /// Otherwise a socket or file could get the number of a standard stream and receive output for the user. Call this
    /// before opening anything.
    package static func fill() {
        for descriptor: CInt in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
            // `open` returns the lowest free descriptor.
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }
}
