public import Foundation

/// The reading end of a ``StreamPipe``. Its calls block; it has no run loop events.
final class PipeInputStream: InputStream {
    private let pipe: StreamPipe
    private var status = Stream.Status.notOpen

    init(_ pipe: StreamPipe) {
        self.pipe = pipe
        super.init(data: Data())
    }

    @available(*, unavailable)
    override required init(data: Data) { preconditionFailure("A pipe's stream is made from its pipe.") }

    override var streamStatus: Stream.Status {
        status == .open && pipe.isAtEnd ? (pipe.error == nil ? .atEnd : .error) : status
    }
    override var streamError: (any Error)? { pipe.isAtEnd ? pipe.error : nil }
    override var hasBytesAvailable: Bool { status == .open && pipe.hasBytes }

    override func open() { if status == .notOpen { status = .open } }

    deinit { pipe.closeRead() }

    override func close() {
        status = .closed
        pipe.closeRead()
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        guard status == .open, len > 0 else { return status == .open ? 0 : -1 }
        guard let part = pipe.read(atMost: len) else { return pipe.error == nil ? 0 : -1 }
        unsafe part.copyBytes(to: buffer, count: part.count)
        return part.count
    }

    override func getBuffer(
        _ buffer: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, length len: UnsafeMutablePointer<Int>
    ) -> Bool { false }
}

/// The writing end of a ``StreamPipe``. Its calls block; it has no run loop events.
final class PipeOutputStream: OutputStream {
    private let pipe: StreamPipe
    private var status = Stream.Status.notOpen

    init(_ pipe: StreamPipe) {
        self.pipe = pipe
        super.init(toMemory: ())
    }

    @available(*, unavailable)
    required init(toMemory: ()) { preconditionFailure("A pipe's stream is made from its pipe.") }

    override var streamStatus: Stream.Status { status }
    override var hasSpaceAvailable: Bool { status == .open && pipe.hasSpace }

    override func open() { if status == .notOpen { status = .open } }

    deinit { pipe.closeWrite() }

    override func close() {
        status = .closed
        pipe.closeWrite()
    }

    override func write(_ buffer: UnsafePointer<UInt8>, maxLength len: Int) -> Int {
        guard status == .open, len >= 0 else { return -1 }
        return pipe.write(unsafe Data(bytes: buffer, count: len)) ?? -1
    }
}

extension Stream {
    /// Creates two streams: what is written to the output can be read from the input.
    ///
    /// Reading blocks until bytes are there or the output is closed; writing blocks while the buffer is full. Use them on
    /// two threads. They send no events to a run loop.
    /// - Parameter bufferSize: Maximum number of bytes between them.
    public class func getBoundStreams(
        withBufferSize bufferSize: Int, inputStream: inout InputStream?, outputStream: inout OutputStream?
    ) {
        let pipe = StreamPipe(capacity: bufferSize)
        (inputStream, outputStream) = (PipeInputStream(pipe), PipeOutputStream(pipe))
    }
}
