import FerryCore
import NIOCore
import Synchronization

/// One connection of an HTTP proxy. Opens tunnels for CONNECT, and forwards other requests without a body.
final class HTTPProxyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let script: ScriptedProxy.Script
    private var received = ByteBuffer()
    private var tunnel: (any Channel)?
    /// The connection to the origin of the last forwarded request, and its authority.
    private var forward: (authority: String, channel: EventLoopFuture<any Channel>)?

    init(_ script: ScriptedProxy.Script) { self.script = script }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        if let tunnel { return tunnel.writeAndFlush(part, promise: nil) }
        received.writeBuffer(&part)
        // 0x16 is the first byte of a TLS handshake.
        if received.readableBytesView.first == 0x16 { return respond(400, context.channel) }
        while let end = String(buffer: received).firstRange(of: "\r\n\r\n") {
            let text = String(buffer: received)
            let head = String(text[..<end.upperBound])
            received.moveReaderIndex(forwardBy: head.utf8.count)
            script.log.entries.withLock { $0.append(head) }
            take(head, context.channel)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        tunnel?.close(promise: nil)
        forward?.channel.whenSuccess { $0.close(promise: nil) }
    }

    private func take(_ head: String, _ channel: any Channel) {
        guard !script.answersAtOnce(channel) else { return }
        if let wanted = script.credentials,
            !head.lowercased().contains("proxy-authorization: \(wanted.basicAuthorization.lowercased())\r\n")
        {
            return respond(407, channel)
        }
        if case .refuse(let status) = script.answer { return respond(status, channel) }
        let words = head.prefix { $0 != "\r\n" }.split(separator: " ").map(String.init)
        guard words.count == 3 else { return respond(400, channel) }
        if words[0] == "CONNECT" { connect(words[1], channel) } else { send(head, words, channel) }
    }

    private func connect(_ target: String, _ channel: any Channel) {
        guard let place = Self.place(target) else { return respond(400, channel) }
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        script.connect(place.host, place.port, for: channel).whenComplete { result in
            switch result {
            case .success(let far):
                bound.value.tunnel = far
                channel.writeAndFlush(ByteBuffer(string: "HTTP/1.1 200 OK\r\n\r\n"), promise: nil)
            case .failure: bound.value.respond(502, channel)
            }
        }
    }

    /// Forwards a request with an absolute URL as its target.
    private func send(_ head: String, _ words: [String], _ channel: any Channel) {
        guard let url = try? HTTPURL(parsing: words[1]), !url.isSecure else { return respond(400, channel) }
        let lines = head.components(of: "\r\n").dropFirst().filter { !$0.lowercased().hasPrefix("proxy-") }
        let request = (["\(words[0]) \(url.requestTarget) \(words[2])"] + lines).joined(separator: "\r\n")
        let authority = "\(url.host):\(url.port)"
        if forward?.authority != authority {
            forward?.channel.whenSuccess { $0.close(promise: nil) }
            forward = (authority, script.connect(url.host, url.port, for: channel))
        }
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        forward?.channel.whenComplete { result in
            switch result {
            case .success(let far): far.writeAndFlush(ByteBuffer(string: request), promise: nil)
            case .failure: bound.value.respond(502, channel)
            }
        }
    }

    private func respond(_ status: Int, _ channel: any Channel) {
        let response = ByteBuffer(string: "HTTP/1.1 \(status) No\r\nContent-Length: 0\r\n\r\n")
        channel.writeAndFlush(response).whenComplete { _ in channel.close(promise: nil) }
    }

    private static func place(_ target: String) -> (host: String, port: Int)? {
        guard let colon = target.lastIndex(of: ":"), let port = Int(target[target.index(after: colon)...]) else {
            return nil
        }
        return (String(target[..<colon]), port)
    }
}

extension String {
    /// Splits the string at a separator. Includes empty parts.
    fileprivate func components(of separator: String) -> [String] {
        var (parts, rest) = ([String](), self[...])
        while let found = rest.firstRange(of: separator) {
            parts.append(String(rest[..<found.lowerBound]))
            rest = rest[found.upperBound...]
        }
        return parts + [String(rest)]
    }
}

/// One connection of a SOCKS 5 proxy (RFC 1928), with user name and password if the proxy requires them (RFC 1929).
final class SOCKSProxyHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private enum Stage { case greeting, proof, request, tunnel(any Channel), refused }

    private let script: ScriptedProxy.Script
    private var stage = Stage.greeting
    private var received = ByteBuffer()

    init(_ script: ScriptedProxy.Script) { self.script = script }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        if case .tunnel(let far) = stage { return far.writeAndFlush(part, promise: nil) }
        received.writeBuffer(&part)
        while let answer = next(context.channel) {
            context.channel.writeAndFlush(ByteBuffer(bytes: answer), promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .tunnel(let far) = stage { far.close(promise: nil) }
    }

    /// Returns the reply to the next message, or `nil` if the message is incomplete or the reply is sent later.
    private func next(_ channel: any Channel) -> [UInt8]? {
        let bytes = Array(received.readableBytesView)
        switch stage {
        case .greeting:
            guard bytes.count >= 2, bytes.count >= 2 + Int(bytes[1]) else { return nil }
            received.moveReaderIndex(forwardBy: 2 + Int(bytes[1]))
            if script.answersAtOnce(channel) {
                stage = .refused
                return nil
            }
            let method: UInt8 = script.credentials == nil ? 0 : 2
            guard bytes[2..<(2 + Int(bytes[1]))].contains(method) else {
                stage = .refused
                return [5, 0xFF]
            }
            stage = method == 0 ? .request : .proof
            return [5, method]
        case .proof:
            guard bytes.count >= 2, bytes.count >= 3 + Int(bytes[1]), let wanted = script.credentials else {
                return nil
            }
            let (nameEnd, secretStart) = (2 + Int(bytes[1]), 3 + Int(bytes[1]))
            guard bytes.count >= secretStart + Int(bytes[nameEnd]) else { return nil }
            received.moveReaderIndex(forwardBy: secretStart + Int(bytes[nameEnd]))
            let name = String(decoding: bytes[2..<nameEnd], as: UTF8.self)
            let secret = String(decoding: bytes[secretStart..<(secretStart + Int(bytes[nameEnd]))], as: UTF8.self)
            let isRight = Credentials(user: name, password: secret) == wanted
            stage = isRight ? .request : .refused
            return [1, isRight ? 0 : 1]
        case .request:
            guard let (host, length) = Self.address(bytes), bytes.count >= length + 2 else { return nil }
            let port = Int(bytes[length]) << 8 | Int(bytes[length + 1])
            received.moveReaderIndex(forwardBy: length + 2)
            script.log.entries.withLock { $0.append("\(host):\(port)") }
            stage = .refused
            if case .refuse(let code) = script.answer { return Self.reply(UInt8(code)) }
            connect(host, port, channel)
            return nil
        case .tunnel, .refused: return nil
        }
    }

    private func connect(_ host: String, _ port: Int, _ channel: any Channel) {
        let bound = NIOLoopBound(self, eventLoop: channel.eventLoop)
        script.connect(host, port, for: channel).whenComplete { result in
            if case .success(let far) = result { bound.value.stage = .tunnel(far) }
            let code: UInt8 = if case .success = result { 0 } else { 5 }
            channel.writeAndFlush(ByteBuffer(bytes: Self.reply(code)), promise: nil)
        }
    }

    private static func reply(_ code: UInt8) -> [UInt8] { [5, code, 0, 1, 0, 0, 0, 0, 0, 0] }

    /// Returns the host of a request and the index of its port.
    private static func address(_ bytes: [UInt8]) -> (host: String, end: Int)? {
        guard bytes.count >= 5 else { return nil }
        let (start, length) = bytes[3] == 3 ? (5, Int(bytes[4])) : (4, bytes[3] == 1 ? 4 : 16)
        guard bytes.count >= start + length else { return nil }
        let text = Array(bytes[start..<(start + length)])
        let host = bytes[3] == 3 ? String(decoding: text, as: UTF8.self) : IPAddress(bytes: text)?.description
        return host.map { ($0, start + length) }
    }
}
