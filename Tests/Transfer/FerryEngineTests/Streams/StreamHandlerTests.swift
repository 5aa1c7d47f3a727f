import FerryCore
import Foundation
import NIOCore
import NIOEmbedded
import Testing

@testable import FerryEngine

@Suite struct `The reader of a stream` {
    private let channel = EmbeddedChannel()

    private func handler() throws -> StreamHandler {
        let handler = StreamHandler {}
        try channel.pipeline.syncOperations.addHandler(handler)
        return handler
    }

    private func read(_ handler: StreamHandler, _ minimum: Int = 1) -> EventLoopFuture<StreamPart> {
        let answer = channel.eventLoop.makePromise(of: StreamPart.self)
        handler.read(StreamRead(minimum: minimum, maximum: 100), answer)
        return answer.futureResult
    }

    /// A reset, or a TLS connection that was cut without its closing message.
    @Test func `gets what came before a failure, and then the failure instead of an end`() throws {
        let handler = try handler()
        try channel.writeInbound(ByteBuffer(string: "abc"))
        channel.pipeline.fireErrorCaught(IOError(errnoCode: 104, reason: "read"))
        channel.embeddedEventLoop.run()
        #expect(try read(handler).wait() == StreamPart(data: Data("abc".utf8), isAtEnd: false))
        #expect(throws: IOError.self) { try read(handler).wait() }
    }

    @Test func `gets the end once the peer has closed its side`() throws {
        let handler = try handler()
        let waiting = read(handler, 10)
        try channel.writeInbound(ByteBuffer(string: "abc"))
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(try waiting.wait() == StreamPart(data: Data("abc".utf8), isAtEnd: true))
        #expect(try read(handler).wait() == StreamPart(data: nil, isAtEnd: true))
    }

    @Test func `can be stopped, and what arrives is the next one's`() throws {
        let handler = try handler()
        let stopped = read(handler)
        handler.stopReading(ServiceError(.canceled, "stopped"))
        #expect(throws: ServiceError.self) { try stopped.wait() }
        try channel.writeInbound(ByteBuffer(string: "abc"))
        #expect(!handler.isDrained)
        #expect(try read(handler).wait().data == Data("abc".utf8))
        #expect(handler.isDrained)
    }
}
