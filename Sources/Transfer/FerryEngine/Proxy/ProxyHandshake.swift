import FerryCore
import FerryRules
import NIOCore

/// The origin at the end of a proxy's tunnel.
struct TunnelTarget: Hashable, Sendable {
    /// A name as written in the URL, an IPv4 address, or an IPv6 address in brackets.
    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init(_ origin: Origin) {
        // A zone is meaningful only on this machine (RFC 6874).
        let zone = origin.host.utf8.firstIndex(of: UInt8(ascii: "%"))
        self.init(host: zone.map { origin.host[..<$0] + "]" } ?? origin.host, port: origin.port)
    }

    var authority: String { "\(host):\(port)" }
}

/// The reason why a proxy did not open a tunnel.
enum ProxyRefusal: Error, Hashable, Sendable {
    /// The proxy requires credentials or rejected the given ones.
    case unauthorized
    /// The status of the proxy's CONNECT response.
    case status(Int)
    /// The code of the proxy's SOCKS reply (RFC 1928 §6).
    case reply(UInt8)
    /// The proxy's response is malformed. Holds the end of a sentence.
    case malformed(String)
}

/// The client's side of a proxy handshake: bytes in, bytes out.
protocol ProxyHandshake: Sendable {
    /// Returns the bytes that begin the handshake.
    mutating func begin() -> ByteBuffer

    /// Handles all bytes from the proxy that no earlier call has consumed.
    ///
    /// - Throws: ``ProxyRefusal``.
    mutating func receive(_ bytes: inout ByteBuffer) throws(ProxyRefusal) -> HandshakeStep
}

enum HandshakeStep: Equatable {
    /// More bytes are needed.
    case wait
    case send(ByteBuffer)
    /// The tunnel is open. Further bytes are exchanged between Ferry and the origin.
    case done
}

/// A tunnel request by CONNECT (RFC 9110 §9.3.6).
struct ConnectHandshake: ProxyHandshake {
    let target: TunnelTarget
    let credentials: Credentials?
    private var searched = 0
    private var informational = InformationalLimit()

    /// Maximum size of the head of a proxy's response, in bytes.
    private static let headLimit = 64 << 10

    init(target: TunnelTarget, credentials: Credentials?) {
        self.target = target
        self.credentials = credentials
    }

    mutating func begin() -> ByteBuffer {
        let proof = credentials.map { "Proxy-Authorization: \($0.basicAuthorization)\r\n" } ?? ""
        let place = target.authority
        return ByteBuffer(string: "CONNECT \(place) HTTP/1.1\r\nHost: \(place)\r\n\(proof)\r\n")
    }

    mutating func receive(_ bytes: inout ByteBuffer) throws(ProxyRefusal) -> HandshakeStep {
        while bytes.readableBytes > 0 {
            guard RawHead.mayBegin(bytes.readableBytesUInt8Span) else { throw .malformed("it does not speak HTTP") }
            guard let end = RawHead.end(in: bytes.readableBytesUInt8Span, searched: &searched) else {
                guard bytes.readableBytes <= Self.headLimit else { throw .malformed("its response is too long") }
                return .wait
            }
            searched = 0
            guard let head = bytes.readSlice(length: end) else { return .wait }
            switch try Self.reading({ () throws(HeadFault) in try RawHead.status(head.readableBytesUInt8Span).number })
            {
            // Informational heads precede the response (RFC 9110 §15.2).
            case 100...199:
                try Self.reading { () throws(HeadFault) in try informational.take(end) }
            case 200...299: return .done
            // Some proxies send 401 for a wrong password.
            case 407: throw .unauthorized
            case 401 where credentials != nil: throw .unauthorized
            case let status: throw .status(status)
            }
        }
        return .wait
    }

    private static func reading<Value>(_ read: () throws(HeadFault) -> Value) throws(ProxyRefusal) -> Value {
        do throws(HeadFault) {
            return try read()
        } catch {
            throw .malformed("its response has \(error.text)")
        }
    }
}

/// A tunnel request by SOCKS 5 (RFC 1928), with a user name and password if the proxy requires them (RFC 1929).
struct SOCKSHandshake: ProxyHandshake {
    enum Address: Hashable, Sendable {
        case name(String)
        case address(IPAddress)

        /// - Parameter host: In the form of ``TunnelTarget``.
        init(host: String) { self = IPAddress(host).map(Self.address) ?? .name(host) }
    }

    private enum Stage { case greeting, proving, connecting }

    let address: Address
    let port: Int
    let credentials: Credentials?
    private var stage = Stage.greeting

    private static let version: UInt8 = 5
    private static let withoutProof: UInt8 = 0
    private static let withPassword: UInt8 = 2
    private static let noMethod: UInt8 = 0xFF

    init(address: Address, port: Int, credentials: Credentials?) {
        self.address = address
        self.port = port
        self.credentials = credentials
    }

    mutating func begin() -> ByteBuffer {
        let methods = [Self.withoutProof] + (credentials == nil ? [] : [Self.withPassword])
        return ByteBuffer(bytes: [Self.version, UInt8(methods.count)] + methods)
    }

    mutating func receive(_ bytes: inout ByteBuffer) throws(ProxyRefusal) -> HandshakeStep {
        guard bytes.readableBytes >= 2 else { return .wait }
        switch stage {
        case .greeting: return try chosen(bytes.take())
        case .proving:
            // The version of the password subnegotiation, and a status: 0 for success.
            let (_, status) = bytes.take()
            guard status == 0 else { throw .unauthorized }
            stage = .connecting
            return .send(request)
        case .connecting: return try connected(&bytes)
        }
    }

    private mutating func chosen(_ answer: (UInt8, UInt8)) throws(ProxyRefusal) -> HandshakeStep {
        guard answer.0 == Self.version else { throw .malformed("it does not speak SOCKS 5") }
        switch answer.1 {
        case Self.withoutProof:
            stage = .connecting
            return .send(request)
        case Self.withPassword:
            guard let credentials else { throw .malformed("it asks for a password that it was not offered") }
            stage = .proving
            var proof = ByteBuffer(bytes: [1])
            for text in [credentials.user, credentials.password ?? ""] {
                // Longer values cannot be correct: SOCKS cannot encode them.
                guard let length = UInt8(exactly: text.utf8.count) else { throw .unauthorized }
                proof.writeInteger(length)
                proof.writeString(text)
            }
            return .send(proof)
        case Self.noMethod: throw .unauthorized
        default: throw .malformed("it requires an authentication that Ferry does not support")
        }
    }

    private var request: ByteBuffer {
        var request = ByteBuffer(bytes: [Self.version, 1, 0])
        switch address {
        case .address(.v4(let bits)):
            request.writeInteger(UInt8(1))
            request.writeInteger(bits)
        case .address(let address):
            request.writeInteger(UInt8(4))
            request.writeBytes(address.bytes)
        case .name(let name):
            request.writeInteger(UInt8(3))
            // A host name has at most 254 bytes.
            request.writeInteger(UInt8(clamping: name.utf8.count))
            request.writeString(name)
        }
        request.writeInteger(UInt16(port))
        return request
    }

    private func connected(_ bytes: inout ByteBuffer) throws(ProxyRefusal) -> HandshakeStep {
        let head = Array(bytes.readableBytesView.prefix(5))
        guard head[0] == Self.version else { throw .malformed("it does not speak SOCKS 5") }
        guard head[1] == 0 else { throw .reply(head[1]) }
        guard head.count == 5 else { return .wait }
        // Skip the address from which the proxy connected to the origin.
        let addressLength: Int
        switch head[3] {
        case 1: addressLength = 4
        case 3: addressLength = 1 + Int(head[4])
        case 4: addressLength = 16
        default: throw .malformed("its response has an unknown kind of address")
        }
        guard bytes.readSlice(length: 4 + addressLength + 2) != nil else { return .wait }
        return .done
    }
}

extension ByteBuffer {
    /// Reads the next two bytes, which must exist.
    fileprivate mutating func take() -> (UInt8, UInt8) { (readInteger() ?? 0, readInteger() ?? 0) }
}
