import Ferry
import Foundation
import FoundationNetworking
import Testing

@Suite struct `Names in a file that imports Ferry and Foundation` {
    @Test func `are those of managers, also where sessions have the same`() {
        let reasons: [WaitingReason] = [.slot, .networkPolicy, .backoff(until: .distantFuture)]
        #expect(Set(reasons).count == 3)
    }

    @Test func `are those of sessions where managers have none`() {
        let configuration: URLSessionConfiguration = .background(withIdentifier: "names")
        #expect(configuration.identifier == "names")
        // Foundation's own configuration has no such member on Linux.
        #expect(configuration.allowsExpensiveNetworkAccess)
    }

    @Test func `leave Swift's tasks unchanged`() async {
        #expect(await Task { 1 }.value == 1)
    }

    @Test(arguments: [
        ("https://h.example/a", true), ("http://h", true), ("ftp://h/a", false), ("a b", false), ("", false),
    ])
    func `a text says whether a download manager takes it`(text: String, isURL: Bool) {
        #expect(text.dw_isURL == isURL)
    }
}
