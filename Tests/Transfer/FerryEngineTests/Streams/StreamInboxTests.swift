import Foundation
import NIOCore
import Testing

@testable import FerryEngine

@Suite struct `The bytes that have arrived on a stream` {
    private func inbox(_ texts: String...) -> StreamInbox {
        var inbox = StreamInbox()
        for text in texts { inbox.append(ByteBuffer(string: text)) }
        return inbox
    }

    @Test func `answer a read once its minimum is there, with its maximum at most`() {
        var inbox = inbox("ab", "cd")
        #expect(inbox.take(StreamRead(minimum: 5, maximum: 10)) == nil)
        #expect(inbox.take(StreamRead(minimum: 1, maximum: 3)) == StreamPart(data: Data("abc".utf8), isAtEnd: false))
        #expect(inbox.take(StreamRead(minimum: 1, maximum: 3)) == StreamPart(data: Data("d".utf8), isAtEnd: false))
        #expect(inbox.take(StreamRead(minimum: 0, maximum: 0)) == nil)
    }

    @Test func `answer every read after the end, the last one with the end`() {
        var inbox = inbox("abc")
        inbox.end()
        #expect(inbox.take(StreamRead(minimum: 9, maximum: 2)) == StreamPart(data: Data("ab".utf8), isAtEnd: false))
        #expect(inbox.take(StreamRead(minimum: 9, maximum: 9)) == StreamPart(data: Data("c".utf8), isAtEnd: true))
        #expect(inbox.take(StreamRead(minimum: 1, maximum: 9)) == StreamPart(data: nil, isAtEnd: true))
    }

    @Test func `are bounded, except by a read that wants more`() {
        let full = inbox(String(repeating: "a", count: StreamInbox.capacity))
        #expect(full.isFull(for: nil) && full.isFull(for: StreamRead(minimum: 1, maximum: 1)))
        #expect(!full.isFull(for: StreamRead(minimum: StreamInbox.capacity + 1, maximum: .max)))
        #expect(!inbox("a").isFull(for: nil))
    }
}
