@testable import FerryServer
import NIOCore
import NIOEmbedded
import Testing

@Suite struct `Quiesce deadline` {
    @Test func `a connection that has not ended in time is closed`() throws {
        let channel = EmbeddedChannel(handler: QuiesceDeadline(limit: .seconds(5)))
        channel.connect(to: try SocketAddress(unixDomainSocketPath: "/peer"), promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .hours(1))
        #expect(channel.isActive)
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(4999))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!channel.isActive)
    }
}
