import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import FerryServer

@Suite struct `The time of a request` {
    private static let limits = RequestPhase.Limits(
        head: .seconds(60), body: .seconds(120), rest: .seconds(5), restBytes: 100)

    enum Step { case connected, head, bytes(Int), full, end, answered, late }

    private static let whole: [Step] = [.connected, .head, .bytes(7), .end]
    private static let early: [Step] = [.connected, .head, .bytes(7), .answered]

    @Test(
        arguments: [
            ([.connected], .limit(.seconds(60))),
            ([.connected, .late], .close),
            ([.connected, .head], .limit(.seconds(120))),
            ([.connected, .head, .late], .refuse(.late, .seconds(5))),
            ([.connected, .head, .late, .bytes(7)], .drop),
            ([.connected, .head, .full], .refuse(.noRoom, .seconds(5))),
            ([.connected, .head, .full, .bytes(7)], .drop),
            ([.connected, .head, .full, .answered], .limit(.seconds(5))),
            ([.connected, .head, .late, .late], .close),
            ([.connected, .head, .late, .answered], .limit(.seconds(5))),
            (whole, .noLimit),
            (whole + [.late], .nothing),
            (whole + [.answered], .limit(.seconds(60))),
            (whole + [.answered, .late], .close),
            (whole + [.head], .limit(.seconds(120))),
            (whole + [.head, .answered], .nothing),
            (whole + [.head, .answered, .end], .noLimit),
            (early, .limit(.seconds(5))),
            (early + [.bytes(100)], .drop),
            (early + [.bytes(99), .bytes(2)], .close),
            (early + [.end], .close),
            (early + [.late], .close),
        ] as [([Step], RequestPhase.Action)])
    func `has a limit for each awaited event`(steps: [Step], last: RequestPhase.Action) {
        var phase = RequestPhase(Self.limits)
        var action = RequestPhase.Action.nothing
        for step in steps {
            action =
                switch step {
                case .connected: phase.connected()
                case .head: phase.headCame()
                case .bytes(let count): phase.bytesCame(count)
                case .full: phase.roomEnded()
                case .end: phase.requestEnded()
                case .answered: phase.answerEnded()
                case .late: phase.limitPassed()
                }
        }
        #expect(action == last)
    }

    private func channel(_ budget: BodyBudget = BodyBudget(most: 1000)) throws -> EmbeddedChannel {
        let channel = EmbeddedChannel(handler: RequestDeadline(Self.limits, budget))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/peer"), promise: nil)
        channel.embeddedEventLoop.run()
        return channel
    }

    private let head = HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/"))

    @Test func `a connection that asks nothing is closed`() throws {
        let channel = try channel()
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(59_999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }

    @Test func `a body that stays away is refused, then its connection is closed`() throws {
        let channel = try channel()
        try channel.writeInbound(head)
        channel.embeddedEventLoop.advanceTime(by: .seconds(120))
        let error = #expect(throws: APIFailure.self) { try channel.throwIfErrorCaught() }
        #expect(error?.status == .requestTimeout)
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(5))
        #expect(!channel.isActive)
    }

    @Test func `an answer has all the time that it takes`() throws {
        let channel = try channel()
        try channel.writeInbound(head)
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .hours(24))
        #expect(channel.isActive)
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(!channel.isActive)
    }

    @Test func `bytes after an early response are not passed on`() throws {
        let channel = try channel()
        try channel.writeInbound(head)
        #expect(try channel.readInbound(as: HTTPServerRequestPart.self) != nil)
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
        try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(string: "more")))
        #expect(try channel.readInbound(as: HTTPServerRequestPart.self) == nil)
        #expect(channel.isActive)
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        #expect(!channel.isActive)
    }

    @Test func `bodies of all connections share one room, which answers and ends give back`() throws {
        let budget = BodyBudget(most: 10)
        let body = HTTPServerRequestPart.body(ByteBuffer(string: "12345678"))
        func begin() throws -> EmbeddedChannel {
            let channel = try channel(budget)
            try channel.writeInbound(head)
            return channel
        }
        let first = try begin()
        defer { _ = try? first.finish() }
        try first.writeInbound(body)
        let refused = try begin()
        defer { _ = try? refused.finish() }
        let error = #expect(throws: APIFailure.self) { try refused.writeInbound(body) }
        #expect(error?.status == .serviceUnavailable)

        try first.writeInbound(HTTPServerRequestPart.end(nil))
        try first.writeOutbound(HTTPServerResponsePart.end(nil))
        let second = try begin()
        try second.writeInbound(body)
        _ = try second.finish()
        let third = try begin()
        defer { _ = try? third.finish() }
        try third.writeInbound(body)
    }

    @Test(arguments: [(24, 16), (64, 16), (1024, 256), (1_048_576, 1024)])
    func `most of a process's open files are left to transfers`(files: Int, connections: Int) {
        #expect(ConnectionLimit.most(openFiles: files) == connections)
    }
}
