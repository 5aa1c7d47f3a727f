import CFerrySystem
package import FerryCore
package import FerryRules
package import NIOCore

/// Decodes one gzip or deflate content coding piece by piece, and rejects a body that expands out of proportion
/// (docs/behaviour/transfers.md#I8).
///
/// Call `feed` with a part, then `next` until it returns `nil`, and `finish` at the end of the body. Memory holds one
/// part and one piece at a time, whatever the decoded size.
///
/// The stream's pointer never leaves this class. `deinit` closes the stream.
@safe package final class ContentDecoder {
    package enum Coding: String, Sendable {
        case gzip, deflate
    }

    /// Maximum size of a decoded piece, in bytes.
    package static let pieceSize = 64 << 10
    /// Decoded bytes allowed regardless of the input size.
    private static let freeBytes: Int64 = 1 << 20
    /// Further decoded bytes allowed per received byte.
    private static let maximumRatio: Int64 = 200

    private enum State {
        /// The first bytes of a deflate body are missing. They show whether it has zlib's header: servers send both
        /// forms.
        case undecided
        case running, betweenMembers, ended
    }

    private let coding: Coding
    private var stream: UnsafeMutableRawPointer
    private var input = ByteBuffer()
    private var state: State
    /// Encoded bytes received.
    package private(set) var received: Int64 = 0
    package private(set) var decoded: Int64 = 0

    package init(_ coding: Coding) throws(ServiceError) {
        self.coding = coding
        state = coding == .deflate ? .undecided : .running
        unsafe stream = try unsafe Self.open(windowBits: coding == .gzip ? 15 + 16 : 15)
    }

    deinit { unsafe ferry_inflate_close(stream) }

    /// Returns the content coding of a response, or `nil` if it has none.
    ///
    /// - Throws: ``ServiceError`` with code `bad_response` for several codings or an unsupported one.
    package static func coding(of head: ResponseHead) throws(ServiceError) -> Coding? {
        let codings = head.contentEncodings
        guard let first = codings.first else { return nil }
        let name = first == "x-gzip" ? "gzip" : first
        guard codings.count == 1, let coding = Coding(rawValue: name) else {
            let shown = codings.prefix(4).joined(separator: ", ").escapingControls
            throw failure("The body has the content coding “\(shown)”, which is not supported.", -1016)
        }
        return coding
    }

    /// Adds a received part. The previous part must be completely decoded.
    package func feed(_ part: ByteBuffer) {
        received += Int64(part.readableBytes)
        if state == .ended { return }
        if input.readableBytes == 0 {
            input = part
        } else {
            input.writeImmutableBuffer(part)
        }
    }

    /// Returns the next decoded piece, or `nil` if more input is needed.
    ///
    /// - Throws: ``ServiceError`` with code `bad_response` for a body that is not in this coding or expands too much.
    package func next() throws(ServiceError) -> ByteBuffer? {
        while true {
            switch state {
            case .undecided: try decide()
            case .betweenMembers: beginMember()
            case .running, .ended: break
            }
            guard state == .running else { return nil }
            var piece = ByteBuffer()
            let step = decode(into: &piece)
            switch step {
            case ferry_inflate_more: break
            case ferry_inflate_end: state = coding == .gzip ? .betweenMembers : .ended
            case ferry_inflate_no_memory: throw ServiceError(.internal, "Not enough memory to decode a body.")
            default: throw Self.corrupt(coding)
            }
            if piece.readableBytes > 0 {
                try count(piece.readableBytes)
                return piece
            }
            if step == ferry_inflate_more { return nil }
        }
    }

    /// Checks that the body did not end inside its coding.
    package func finish() throws(ServiceError) {
        guard received > 0, state == .running || state == .undecided else { return }
        throw Self.failure("The body ended in the middle of its \(coding.rawValue) coding.", -1015)
    }

    // MARK: -

    private func decode(into piece: inout ByteBuffer) -> ferry_inflate_result {
        var result = ferry_inflate_more
        var consumed = 0
        unsafe piece.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.pieceSize) { output in
            let output = unsafe output.bindMemory(to: UInt8.self)
            return unsafe input.withUnsafeReadableBytes { bytes in
                let bytes = unsafe bytes.bindMemory(to: UInt8.self)
                let step = unsafe ferry_inflate_step(
                    stream, bytes.baseAddress, bytes.count, output.baseAddress, min(output.count, Self.pieceSize))
                (result, consumed) = (step.result, step.consumed)
                return step.produced
            }
        }
        input.moveReaderIndex(forwardBy: consumed)
        return result
    }

    private func count(_ bytes: Int) throws(ServiceError) {
        decoded += Int64(bytes)
        let (product, overflows) = received.multipliedReportingOverflow(by: Self.maximumRatio)
        guard overflows || decoded <= Self.freeBytes + product else {
            throw Self.failure("The body decompresses to more than \(Self.maximumRatio) times its size.", -1015)
        }
    }

    /// Begins a gzip member. A gzip body may have several members. Other bytes after the first member are padding.
    private func beginMember() {
        guard let magic = input.getInteger(at: input.readerIndex, as: UInt8.self) else { return }
        guard magic == 0x1F else {
            state = .ended
            input.clear()
            return
        }
        unsafe ferry_inflate_reset(stream)
        state = .running
    }

    /// Checks for zlib's header (RFC 1950 §2.2).
    private func decide() throws(ServiceError) {
        guard let header = input.getInteger(at: input.readerIndex, as: UInt16.self) else { return }
        if header & 0x0F00 != 0x0800 || header % 31 != 0 {
            let raw = try unsafe Self.open(windowBits: -15)
            unsafe ferry_inflate_close(stream)
            unsafe stream = unsafe raw
        }
        state = .running
    }

    private static func open(windowBits: CInt) throws(ServiceError) -> UnsafeMutableRawPointer {
        guard let stream = unsafe ferry_inflate_open(windowBits) else {
            throw ServiceError(.internal, "Not enough memory to decode a body.")
        }
        return unsafe stream
    }

    private static func corrupt(_ coding: Coding) -> ServiceError {
        failure("The body is not valid \(coding.rawValue) data.", -1015)
    }

    private static func failure(_ message: String, _ urlError: Int) -> ServiceError {
        ServiceError(.badResponse, message, details: ErrorDetails(urlError: urlError))
    }
}
