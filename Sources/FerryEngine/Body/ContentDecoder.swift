import CFerrySystem
package import FerryCore
package import NIOCore

/// Takes one gzip or deflate coding off a body, piece by piece, and stops at what is out of proportion
/// (docs/behaviour/transfers.md#I8).
///
/// Used in turns: `feed` a part that arrived, take pieces by `next` until it has none, and `finish` at the end of the
/// body. Holds one part and one piece at a time, however much comes out of them.
///
/// The stream's pointer never leaves this class, which closes it once, at its own end.
@safe package final class ContentDecoder {
    package enum Coding: String, Sendable {
        case gzip, deflate
    }

    /// The most bytes of one piece.
    package static let pieceSize = 64 << 10
    /// Bytes that come out whatever went in.
    private static let freeBytes: Int64 = 1 << 20
    /// Bytes that may come out beyond them, for each that went in.
    private static let maximumRatio: Int64 = 200

    private enum State {
        /// Before the first bytes of a deflate body, which say whether it has zlib's header: servers send both.
        case undecided
        case running, betweenMembers, ended
    }

    private let coding: Coding
    private var stream: UnsafeMutableRawPointer
    private var input = ByteBuffer()
    private var state: State
    /// Bytes of the body and of what came out of them.
    package private(set) var received: Int64 = 0
    package private(set) var decoded: Int64 = 0

    package init(_ coding: Coding) throws(ServiceError) {
        self.coding = coding
        state = coding == .deflate ? .undecided : .running
        unsafe stream = try unsafe Self.open(windowBits: coding == .gzip ? 15 + 16 : 15)
    }

    deinit { unsafe ferry_inflate_close(stream) }

    /// The coding of a response; nil for a body that comes as it is.
    ///
    /// - Throws: ``ServiceError`` with code `bad_response` for several codings or one that cannot be taken off.
    package static func coding(of head: ResponseHead) throws(ServiceError) -> Coding? {
        let codings = head.contentEncodings
        guard let first = codings.first else { return nil }
        let name = first == "x-gzip" ? "gzip" : first
        guard codings.count == 1, let coding = Coding(rawValue: name) else {
            let shown = codings.prefix(4).joined(separator: ", ").escapingControls
            throw failure("The body has the content coding “\(shown)”, which is not understood.", -1016)
        }
        return coding
    }

    /// Takes in a part of the body; the part before has been decoded to its end.
    package func feed(_ part: ByteBuffer) {
        received += Int64(part.readableBytes)
        if state == .ended { return }
        if input.readableBytes == 0 {
            input = part
        } else {
            input.writeImmutableBuffer(part)
        }
    }

    /// The next piece; nil once more is needed.
    ///
    /// - Throws: ``ServiceError`` with code `bad_response` for a body that is not so coded or unpacks to too much.
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
            case ferry_inflate_no_memory: throw ServiceError(.internal, "There is no memory to decode a body.")
            default: throw Self.corrupt(coding)
            }
            if piece.readableBytes > 0 {
                try count(piece.readableBytes)
                return piece
            }
            if step == ferry_inflate_more { return nil }
        }
    }

    /// Notices a body that ended inside of its coding.
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
            throw Self.failure("The body unpacks to more than \(Self.maximumRatio) times its size.", -1015)
        }
    }

    /// gzip allows one member after the other; what is no member after the first is padding.
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

    /// Looks for zlib's header (RFC 1950 §2.2).
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
            throw ServiceError(.internal, "There is no memory to decode a body.")
        }
        return unsafe stream
    }

    private static func corrupt(_ coding: Coding) -> ServiceError {
        failure("The body is not the \(coding.rawValue) data that the server named it.", -1015)
    }

    private static func failure(_ message: String, _ urlError: Int) -> ServiceError {
        ServiceError(.badResponse, message, details: ErrorDetails(urlError: urlError))
    }
}
