import NIOCore
import NIOWebSocket

/// Assembles a client's frames into messages and validates them by RFC 6455. A pure value.
struct WebSocketMessages {
    /// The result of a frame.
    enum Event: Equatable {
        /// A complete text message of valid UTF-8.
        case text(ByteBuffer)
        /// A ping. The response is a pong with these bytes (RFC 6455 §5.5.2).
        case ping(ByteBuffer)
        case nothing
        /// The connection is to be closed: with the client's own code after its close frame, or with the reason for
        /// refusing its frame.
        case close(WebSocketErrorCode)
    }

    /// Maximum bytes of a message.
    private let most: Int
    private var text: ByteBuffer?

    init(most: Int) { self.most = most }

    /// Bytes of the incomplete message.
    var held: Int { text?.readableBytes ?? 0 }

    mutating func take(_ frame: WebSocketFrame) -> Event {
        // §5.1: a client masks every frame. §5.2: no extension was negotiated, so no reserved bit has a meaning.
        guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else { return .close(.protocolError) }
        let bytes = frame.unmaskedData
        switch frame.opcode {
        case .text:
            guard text == nil else { return .close(.protocolError) }
            return take(bytes, isLast: frame.fin)
        case .continuation:
            guard text != nil else { return .close(.protocolError) }
            return take(bytes, isLast: frame.fin)
        case .binary: return .close(text == nil ? .unacceptableData : .protocolError)
        case .ping, .pong, .connectionClose:
            // §5.5: control frames are short and not fragmented.
            guard frame.fin, bytes.readableBytes <= 125 else { return .close(.protocolError) }
            switch frame.opcode {
            case .ping: return .ping(bytes)
            case .pong: return .nothing
            default: return .close(Self.answer(toClose: bytes))
            }
        default: return .close(.protocolError)
        }
    }

    private mutating func take(_ bytes: ByteBuffer, isLast: Bool) -> Event {
        var whole = text ?? ByteBuffer()
        text = nil
        guard whole.readableBytes + bytes.readableBytes <= most else { return .close(.messageTooLarge) }
        if whole.readableBytes == 0 { whole = bytes } else { whole.writeImmutableBuffer(bytes) }
        guard isLast else {
            text = whole
            return .nothing
        }
        guard String(validating: whole.readableBytesView, as: UTF8.self) != nil else {
            return .close(.dataInconsistentWithMessage)
        }
        return .text(whole)
    }

    /// Returns the code for responding to a close frame (§5.5.1, §7.4).
    private static func answer(toClose bytes: ByteBuffer) -> WebSocketErrorCode {
        var bytes = bytes
        guard bytes.readableBytes > 0 else { return .normalClosure }
        guard let number = bytes.readInteger(as: UInt16.self), isOfClient(number) else { return .protocolError }
        guard String(validating: bytes.readableBytesView, as: UTF8.self) != nil else {
            return .dataInconsistentWithMessage
        }
        return WebSocketErrorCode(codeNumber: Int(number))
    }

    private static func isOfClient(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}
