import FerryFoundation

/// The standard input, output and error of this process.
package enum StandardStreams {
    /// Opens `/dev/null` for each standard stream that is closed.
    ///
    /// A socket or a file that got one of their numbers would be written to by what is meant for the user. Call it before anything
    /// is opened.
    package static func fill() {
        for descriptor: CInt in 0...2 where fcntl(descriptor, F_GETFD) == -1 {
            // The system gives the lowest number that is free.
            _ = unsafe open("/dev/null", O_RDWR)
        }
    }
}
