import FerryCore
import Foundation
import Testing

@testable import FerryURLSession

@Suite struct `Callbacks of a transfer` {
    /// The recorded calls. A reference, because `#expect` cannot mutate a value.
    private final class Told {
        private var shown: ShownTransfer

        init(_ shown: ShownTransfer) { self.shown = shown }

        func steps(_ transfer: Transfer) -> [TaskStep] {
            shown.steps(for: transfer, now: Date(timeIntervalSince1970: 0))
        }
    }

    private func running(_ received: Int64, of expected: Int64? = 100, startedOver: Int = 0) -> Transfer {
        var transfer = Transfer.waitingSample(.slot)
        transfer.state = .running
        transfer.reason = nil
        transfer.bytesReceived = received
        transfer.bytesExpected = expected
        transfer.startedOver = startedOver
        transfer.response = ResponseFacts(url: transfer.url, status: 200, version: "HTTP/1.1", fields: [])
        return transfer
    }

    @Test func `38 totals are reported when they grow`() {
        let shown = Told(ShownTransfer(.download))
        let first = running(10)
        #expect(
            shown.steps(first) == [
                .response(ResponseFacts(url: first.url, status: 200, version: "HTTP/1.1", fields: [])),
                .wrote(total: 10, expected: 100),
            ])
        #expect(shown.steps(running(10)).isEmpty)
        #expect(shown.steps(running(30, of: nil)) == [.wrote(total: 30, expected: -1)])
    }

    @Test func `39 a resumption is reported once, when the server has responded`() {
        let shown = Told(ShownTransfer(.download, offset: 40))
        var unanswered = running(40)
        unanswered.response = nil
        #expect(shown.steps(unanswered).isEmpty)
        let steps = shown.steps(running(50))
        #expect(Array(steps.dropFirst()) == [.resumed(offset: 40, expected: 100), .wrote(total: 50, expected: 100)])
        #expect(shown.steps(running(60)) == [.wrote(total: 60, expected: 100)])
    }

    @Test func `39, 64 a start from the first byte is reported with 0`() {
        let shown = Told(ShownTransfer(.download, offset: 40))
        let steps = shown.steps(running(5, startedOver: 1))
        #expect(Array(steps.dropFirst()) == [.resumed(offset: 0, expected: 100), .wrote(total: 5, expected: 100)])
        #expect(
            shown.steps(running(3, startedOver: 2)) == [
                .resumed(offset: 0, expected: 100), .wrote(total: 3, expected: 100),
            ])
    }

    @Test func `39 a resumption is reported by the process that sees the response`() {
        var unanswered = running(40)
        unanswered.response = nil
        let shown = Told(ShownTransfer(.download, restored: unanswered, offset: 40))
        #expect(shown.steps(unanswered).isEmpty)
        let steps = shown.steps(running(50))
        #expect(Array(steps.dropFirst()) == [.resumed(offset: 40, expected: 100), .wrote(total: 50, expected: 100)])
        let seen = Told(ShownTransfer(.download, restored: running(50), offset: 40))
        #expect(seen.steps(running(60)) == [.wrote(total: 60, expected: 100)])
    }

    @Test func `40 a task of an earlier process resumes from the count it shows`() {
        let shown = Told(ShownTransfer(.download, restored: running(50, startedOver: 1)))
        #expect(shown.steps(running(50, startedOver: 1)).isEmpty)
        #expect(shown.steps(running(70, startedOver: 1)) == [.wrote(total: 70, expected: 100)])
    }

    @Test func `31 an upload reports the bytes it sends, not those it receives`() {
        let shown = Told(ShownTransfer(.upload))
        var transfer = running(10)
        transfer.response = nil
        transfer.sending.sent = 7
        transfer.sending.length = 9
        #expect(shown.steps(transfer) == [.sent(total: 7, expected: 9)])
    }

    @Test func `11 a redirect changes the current request`() {
        let shown = Told(ShownTransfer(.download))
        var transfer = running(0)
        transfer.response = nil
        #expect(shown.steps(transfer).isEmpty)
        transfer.finalURL = "https://example.com/b"
        #expect(shown.steps(transfer) == [.request(url: "https://example.com/b", method: nil)])
    }

    @Test func `41 waiting for a network is reported once, and every change of its reason`() {
        let shown = Told(ShownTransfer(.download))
        #expect(
            shown.steps(.waitingSample(.network)) == [.waiting(.connectivity), .waitsForConnectivity])
        #expect(shown.steps(.waitingSample(.network)).isEmpty)
        #expect(shown.steps(.waitingSample(.expensive)) == [.waiting(.expensive)])
        #expect(shown.steps(running(0)).contains(.waiting(nil)))
    }
}
