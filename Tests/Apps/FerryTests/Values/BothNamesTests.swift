import BackgroundURLSession
import Ferry
import Foundation
import Testing

@Suite struct `Names in a file that imports both libraries` {
    @Test func `that both have are distinguished by the name of their library`() {
        let ofTask: Ferry.WaitingReason = .diskSpace
        let ofSession: BackgroundURLSession.WaitingReason = .cellular
        #expect("\(ofTask)" == "diskSpace" && "\(ofSession)" == "cellular")
        #expect(type(of: ofTask) != type(of: ofSession))
    }

    @Test func `that one has need no more`() {
        let configuration: URLSessionConfiguration = .ephemeral
        let limits = SessionConfiguration()
        #expect(configuration.identifier == nil && limits.maxConcurrentTasksLimit == 6)
    }
}
