@testable import FerryURLSession
import FerryCore
import Foundation
import Testing

@Suite struct `Extensions` {
    private let session = URLSession(configuration: .ephemeral)
    private let now = Date(timeIntervalSince1970: 1000)

    @Test func `the values of a task are nil at first and then as set`() {
        let task = session.downloadTask(with: URL(fileURLWithPath: "/"))
        #expect(task.options == TaskOptions())
        #expect(task.destination == nil)
        #expect(task.expectedDigest == nil)
        #expect(task.mirrors.isEmpty)
        #expect(task.maximumConnections == 1)
        #expect(task.bytesPerSecondLimit == nil)
        #expect(task.metadata.isEmpty)
        #expect(task.retryPolicy == nil)
        #expect(task.waitingReason == nil)
        task.destination = .init(URL(fileURLWithPath: "/tmp/a"))
        task.expectedDigest = .init(.md5, hex: "00")
        task.mirrors = [URL(fileURLWithPath: "/b")]
        task.bytesPerSecondLimit = 7
        task.metadata = ["a": "b"]
        task.retryPolicy = RetryPolicy(initialDelay: 5)
        #expect(task.destination?.conflictPolicy == .fail)
        #expect(task.destination?.createsIntermediateDirectories == false)
        #expect(task.expectedDigest?.algorithm == .md5)
        #expect(task.mirrors == [URL(fileURLWithPath: "/b")])
        #expect(task.bytesPerSecondLimit == 7)
        #expect(task.metadata == ["a": "b"])
        #expect(task.retryPolicy?.initialDelay == 5)
        session.invalidateAndCancel()
    }

    @Test(arguments: [(0, 1), (-1, 1), (1, 1), (16, 16), (17, 16)])
    func `connections are 1 to 16`(given: Int, taken: Int) {
        let task = session.downloadTask(with: URL(fileURLWithPath: "/"))
        task.maximumConnections = given
        #expect(task.maximumConnections == taken)
        session.invalidateAndCancel()
    }

    @Test func `options are plain data`() throws {
        let options = try #require(ResumeData.sample().options)
        #expect(try JSONDecoder().decode(TaskOptions.self, from: JSONEncoder().encode(options)) == options)
    }

    @Test func `a retry policy is the service's rule`() {
        let policy = RetryPolicy(
            initialDelay: 2, multiplier: 3, maximumDelay: 4, jitter: 0.5, maximumAttemptsWithoutProgress: 6,
            statusCodes: [503], expiredStatusCodes: [403])
        #expect(
            policy.rule
                == RetryRule(
                    initialDelay: 2, multiplier: 3, maximumDelay: 4, jitter: 0.5, maximumAttemptsWithoutProgress: 6,
                    statusCodes: [503], expiredStatusCodes: [403]))
        #expect(RetryPolicy().rule == RetryRule())
    }

    @Test func `the request of a method other than GET cannot be replaced`() throws {
        var request = URLRequest(url: URL(fileURLWithPath: "/"))
        let task = session.dataTask(with: request)
        request.httpMethod = "POST"
        let error = #expect(throws: FerryURLSession.TransferError.self) { try task.updateRequest(request) }
        #expect(error?.code == "request_not_replaceable")
        session.invalidateAndCancel()
    }

    @Test func `the request of a task that has not started is replaced`() throws {
        let task = session.dataTask(with: URL(fileURLWithPath: "/"))
        try task.updateRequest(URLRequest(url: URL(fileURLWithPath: "/b")))
        #expect(task.currentRequest?.url?.path == "/b")
        #expect(task.originalRequest?.url?.path == "/")
        session.invalidateAndCancel()
    }

    @Test func `a server's certificates are in the protection space of its challenge`() throws {
        let space = ServerTrustSpace(
            TrustChallenge(host: "a", port: 443, certificates: [Data([1]), Data([2])], fault: nil))
        #expect(space.certificateChain == [Data([1]), Data([2])])
        #expect(space.host == "a")
        #expect(space.authenticationMethod == NSURLAuthenticationMethodServerTrust)
        let other = URLProtectionSpace(
            host: "a", port: 80, protocol: "http", realm: nil, authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
        #expect(other.certificateChain == nil)
    }

    @Test func `only the one credential accepts a certificate`() {
        #expect(URLCredential.serverTrustAccepted.acceptsServerTrust)
        #expect(!URLCredential(user: "", password: "", persistence: .none).acceptsServerTrust)
    }

    // MARK: Waiting

    @Test(arguments: WaitReason.allCases)
    func `every reason of the service is shown`(reason: WaitReason) throws {
        let date = now
        let expected: WaitingReason =
            switch reason {
            case .slot, .session, .host: .connectionLimit
            case .network: .connectivity
            case .cellular: .cellular
            case .expensive: .expensive
            case .constrained: .constrained
            case .power: .externalPower
            case .beginDate: .earliestBeginDate(date)
            case .relaunch: .relaunchDelay(until: date)
            case .authentication: .authentication
            case .expired: .requestExpired
            case .retry, .server, .disk, .destination, .shutdown, .label, .lease, .unknown:
                .retry(at: date, after: .timedOut)
            }
        var transfer = Transfer.waitingSample(reason)
        transfer.notBefore = reason == .beginDate ? date : nil
        transfer.times.nextAttempt = reason == .beginDate ? nil : date
        transfer.error = ServiceError(.timedOut, "")
        #expect(WaitingReason(transfer, now: .distantPast) == expected)
    }

    @Test func `a transfer that runs or has ended waits for nothing`() {
        for state in TransferState.allCases where state != .waiting {
            var transfer = Transfer.waitingSample(.retry)
            transfer.state = state
            #expect(WaitingReason(transfer, now: now) == nil, "\(state)")
        }
    }
}
