import FerryTesting
import Foundation
import NIOCore
import NIOWebSocket
import SeedKit
import Testing

@testable import FerryServer

@Suite(.timeLimit(.minutes(1))) struct `Messages of a WebSocket` {
    private static func frame(
        _ opcode: WebSocketOpcode, _ text: String = "", fin: Bool = true, masked: Bool = true, rsv1: Bool = false
    ) -> WebSocketFrame { frame(opcode, Array(text.utf8), fin: fin, masked: masked, rsv1: rsv1) }

    private static func frame(
        _ opcode: WebSocketOpcode, _ bytes: [UInt8], fin: Bool = true, masked: Bool = true, rsv1: Bool = false
    ) -> WebSocketFrame {
        var data = ByteBuffer(bytes: bytes)
        let mask: WebSocketMaskingKey? = masked ? [1, 2, 3, 4] : nil
        if let mask { data.webSocketMask(mask) }
        return WebSocketFrame(fin: fin, rsv1: rsv1, opcode: opcode, maskKey: mask, data: data)
    }

    @Test func `are put together from fragments, with control frames between`() {
        var messages = WebSocketMessages(most: 100)
        let steps: [(WebSocketFrame, WebSocketMessages.Event, held: Int)] = [
            (Self.frame(.text, "one"), .text(ByteBuffer(string: "one")), 0),
            // A fragment may split a character.
            (Self.frame(.text, [0x61, 0xC3], fin: false), .nothing, 2),
            (Self.frame(.ping, "p"), .ping(ByteBuffer(string: "p")), 2), (Self.frame(.pong), .nothing, 2),
            (Self.frame(.continuation, [0xA4], fin: false), .nothing, 3),
            (Self.frame(.continuation, "z"), .text(ByteBuffer(string: "aäz")), 0),
            (Self.frame(.text), .text(ByteBuffer()), 0),
        ]
        for (frame, event, held) in steps {
            let found = messages.take(frame)
            #expect(found == event && messages.held == held)
        }
    }

    static let refused: [([WebSocketFrame], WebSocketErrorCode)] = [
        ([frame(.text, "a", masked: false)], .protocolError), ([frame(.text, "a", rsv1: true)], .protocolError),
        ([frame(.continuation, "a")], .protocolError), ([frame(.binary, "a")], .unacceptableData),
        ([frame(.text, "a", fin: false), frame(.text, "b")], .protocolError),
        ([frame(.text, "a", fin: false), frame(.binary, "b")], .protocolError),
        ([frame(.text, [0xFF])], .dataInconsistentWithMessage),
        ([frame(.text, [0xC3], fin: false), frame(.continuation, "a")], .dataInconsistentWithMessage),
        ([frame(.text, [0xED, 0xA0, 0x80])], .dataInconsistentWithMessage),
        ([frame(.ping, fin: false)], .protocolError),
        ([frame(.ping, String(repeating: "x", count: 126))], .protocolError),
        ([frame(.text, String(repeating: "x", count: 101))], .messageTooLarge),
        (
            [
                frame(.text, String(repeating: "x", count: 60), fin: false),
                frame(.continuation, String(repeating: "x", count: 41)),
            ], .messageTooLarge
        ),
        ([frame(WebSocketOpcode(encodedWebSocketOpcode: 0x3) ?? .text)], .protocolError),
        ([frame(.connectionClose)], .normalClosure), ([frame(.connectionClose, [3, 0xE8])], .normalClosure),
        ([frame(.connectionClose, [3, 0xE9])], .goingAway), ([frame(.connectionClose, [3])], .protocolError),
        ([frame(.connectionClose, [3, 0xED])], .protocolError), ([frame(.connectionClose, [0, 1])], .protocolError),
        ([frame(.connectionClose, [3, 0xE8, 0xFF])], .dataInconsistentWithMessage),
        ([frame(.connectionClose, [0x0F, 0xA0])], .unknown(4000)),
    ]

    @Test func `end the connection with RFC 6455's codes where it says so`() {
        for (place, (frames, code)) in Self.refused.enumerated() {
            var messages = WebSocketMessages(most: 100)
            var last = WebSocketMessages.Event.nothing
            for frame in frames { last = messages.take(frame) }
            #expect(last == .close(code), "case \(place)")
        }
    }

    @Test func `hold no more than they may, whatever comes`() async throws {
        var random = SplitMix(seed: 33)
        let opcodes: [WebSocketOpcode] = [.text, .continuation, .continuation, .binary, .ping, .pong, .connectionClose]
        var messages = WebSocketMessages(most: 64)
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            let frame = Self.frame(
                opcodes.randomElement(using: &random) ?? .text,
                Bool.random(using: &random) ? bytes : bytes.map { $0 & 0x7F },
                fin: Bool.random(using: &random), masked: Int.random(in: 0..<20, using: &random) > 0)
            switch messages.take(frame) {
            case .text(let text): #expect(String(validating: text.readableBytesView, as: UTF8.self) != nil)
            case .close: messages = WebSocketMessages(most: 64)
            case .ping, .nothing: break
            }
            #expect(messages.held <= 64)
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Data that clients have not read` {
    private let start = ContinuousClock.now

    @Test func `is bounded over all of them, and the one that stands still longest goes first`() {
        var ledger = OutboundBudget.Ledger(most: 100)
        let none = ledger.add(40, to: 1, at: start) + ledger.add(40, to: 2, at: start + .seconds(1))
        #expect(none == [])
        ledger.take(10, of: 1, at: start + .seconds(2))
        #expect(ledger.total == 70)
        // 2 has read nothing since second 1.
        let second = ledger.add(60, to: 3, at: start + .seconds(3))
        #expect(second == [2] && ledger.total == 90)
        let first = ledger.add(200, to: 3, at: start + .seconds(4))
        #expect(first == [1])
        // A single response may exceed the limit.
        #expect(ledger.total == 260)
        ledger.leave(3)
        #expect(ledger.total == 0)
    }

    @Test func `is forgotten with its connection`() {
        var ledger = OutboundBudget.Ledger(most: 100)
        _ = ledger.add(50, to: 1, at: start)
        ledger.leave(1)
        ledger.take(50, of: 1, at: start)
        #expect(ledger.total == 0)
        let budget = OutboundBudget(most: 10)
        let number = budget.enter {}
        budget.add(5, to: number)
        #expect(budget.total == 5)
        budget.leave(number)
        #expect(budget.total == 0)
    }
}

@Suite(.timeLimit(.minutes(1))) struct `The other end of a local connection` {
    private static let table = """
          sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
           0: 0100007F:1A90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1
           1: 0100007F:C350 0100007F:1A90 01 00000000:00000000 00:00000000 00000000  1001        0 2 1
        """

    @Test func `is known by its user`() throws {
        let (client, server) = (
            try SocketAddress(ipAddress: "127.0.0.1", port: 50000),
            try SocketAddress(ipAddress: "127.0.0.1", port: 6800)
        )
        let (here, there) = (try #require(LocalPeer.entry(client)), try #require(LocalPeer.entry(server)))
        #expect(here == "0100007F:C350" && there == "0100007F:1A90")
        #expect(LocalPeer.owner(of: here, to: there, in: Self.table) == 1001)
        #expect(LocalPeer.owner(of: there, to: here, in: Self.table) == nil)
        // The kernel returns such a file one page at a time. Its last line must be there too.
        let maps = LocalPeer.contents(of: "/proc/self/maps")
        #expect(maps.utf8.count > 4096 && maps.hasSuffix("\n"))
        #expect(LocalPeer.contents(of: "/nonexistent") == "")
        let six = try SocketAddress(ipAddress: "::1", port: 6800)
        #expect(LocalPeer.entry(six) == "00000000000000000000000001000000:1A90")
        #expect(LocalPeer.entry(try SocketAddress(unixDomainSocketPath: "/s")) == nil)
    }
}
