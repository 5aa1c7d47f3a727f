@testable import Ferry
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Unread events` {
    private static func progress(_ bytes: Int) -> DownloadEvent {
        .progress(DownloadProgress(receivedBytes: Int64(bytes), expectedBytes: nil))
    }

    private static func word(_ event: DownloadEvent) -> String {
        switch event {
        case .state(let status, _): status.rawValue
        case .progress(let progress): "\(progress.receivedBytes)"
        case .removed: "end"
        default: "other"
        }
    }

    private func words(_ queue: EventQueue) async -> [String] {
        var words: [String] = []
        while let event = await queue.next() { words.append(Self.word(event)) }
        return words
    }

    /// docs/behaviour/session-manager.md#D2
    @Test func `are every change of state in order, and of progress the newest`() async {
        let queue = EventQueue()
        for round in 0..<50 {
            queue.add(.state(.running, nil))
            for bytes in 0..<1000 { queue.add(Self.progress(round * 1000 + bytes)) }
            queue.add(.state(.waiting, .slot))
        }
        queue.add(.removed)
        queue.add(.state(.running, nil))
        let expected = (0..<50).flatMap { ["running", "\($0 * 1000 + 999)", "waiting"] } + ["end"]
        #expect(await words(queue) == expected)
    }

    /// docs/behaviour/session-manager.md#D2
    @Test func `are no more than a reader that has stopped may cost`() async {
        let queue = EventQueue()
        queue.add(.state(.suspended, nil))
        for round in 0..<10_000 {
            queue.add(.state(round.isMultiple(of: 2) ? .running : .waiting, nil))
            queue.add(Self.progress(round))
        }
        queue.add(.removed)
        let words = await words(queue)
        #expect(words.count <= EventQueue.capacity && words.first == "suspended")
        #expect(words.suffix(5) == ["running", "9998", "waiting", "9999", "end"])
    }

    @Test func `end for a reader whose Swift task is canceled, and wait for the next`() async {
        let queue = EventQueue()
        let reading = Task { await queue.next().map(Self.word) }
        reading.cancel()
        #expect(await reading.value == nil)
        queue.add(.state(.running, nil))
        #expect(await queue.next().map(Self.word) == "running")
    }
}
