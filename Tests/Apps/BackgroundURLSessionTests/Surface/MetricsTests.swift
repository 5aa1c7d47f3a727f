@testable import FerryURLSession
import FerryCore
import Foundation
import Testing

@Suite struct `Metrics` {
    private let interval = DateInterval(start: Date(timeIntervalSince1970: 1), duration: 5)

    private func exchange(_ url: String, status: Int?) -> ExchangeFacts {
        var facts = ExchangeFacts(url: url, method: "GET")
        facts.response = status.map {
            ResponseFacts(url: url, status: $0, version: "HTTP/1.1", fields: [HeaderField(name: "Server", value: "x")])
        }
        return facts
    }

    @Test func `29 there is one transaction for each redirect and each retry`() {
        let metrics = URLSessionTaskMetrics(
            [
                exchange("http://a/1", status: 302), exchange("http://a/2", status: nil),
                exchange("http://a/2", status: 206),
            ], interval: interval)
        #expect(
            metrics.transactionMetrics.map(\.request.url?.absoluteString) == ["http://a/1", "http://a/2", "http://a/2"])
        #expect(metrics.transactionMetrics.map { ($0.response as? HTTPURLResponse)?.statusCode } == [302, nil, 206])
        #expect(metrics.redirectCount == 1)
        #expect(metrics.taskInterval == interval)
    }

    @Test(arguments: [([302], 0), ([301, 302, 303, 307, 308, 200], 5), ([304], 0), ([], 0), ([301, 304, 308], 1)])
    func `a redirect that is the result does not count`(statuses: [Int], count: Int) {
        let metrics = URLSessionTaskMetrics(statuses.map { exchange("http://a/", status: $0) }, interval: interval)
        #expect(metrics.redirectCount == count)
    }

    @Test func `29 dates of stages that did not occur are nil`() throws {
        let metrics = try #require(URLSessionTaskTransactionMetrics(exchange("http://a/", status: nil)))
        let dates = [
            metrics.fetchStartDate, metrics.domainLookupStartDate, metrics.domainLookupEndDate,
            metrics.connectStartDate, metrics.secureConnectionStartDate, metrics.secureConnectionEndDate,
            metrics.connectEndDate, metrics.requestStartDate, metrics.requestEndDate, metrics.responseStartDate,
            metrics.responseEndDate,
        ]
        #expect(dates.allSatisfy { $0 == nil })
        #expect(metrics.response == nil)
        #expect(metrics.negotiatedTLSProtocolVersion == nil)
        #expect(metrics.resourceFetchType == .networkLoad)
    }

    @Test func `every fact is shown under its own name`() throws {
        var facts = exchange("https://a/", status: 200)
        facts.method = "POST"
        facts.fields = [HeaderField(name: "Accept", value: "*/*")]
        facts.networkProtocol = "h2"
        facts.localAddress = "127.0.0.1"
        facts.localPort = 1
        facts.remoteAddress = "::1"
        facts.remotePort = 2
        let stages: [(WritableKeyPath<ExchangeFacts, Date?>, KeyPath<URLSessionTaskTransactionMetrics, Date?>)] = [
            (\.fetchStart, \.fetchStartDate), (\.domainLookupStart, \.domainLookupStartDate),
            (\.domainLookupEnd, \.domainLookupEndDate), (\.connectStart, \.connectStartDate),
            (\.secureConnectionStart, \.secureConnectionStartDate), (\.secureConnectionEnd, \.secureConnectionEndDate),
            (\.connectEnd, \.connectEndDate), (\.requestStart, \.requestStartDate), (\.requestEnd, \.requestEndDate),
            (\.responseStart, \.responseStartDate), (\.responseEnd, \.responseEndDate),
        ]
        for (index, stage) in stages.enumerated() {
            facts[keyPath: stage.0] = Date(timeIntervalSince1970: Double(index))
        }
        facts.isReusedConnection = true
        facts.requestHeaderBytes = 10
        facts.requestBodyBytes = 20
        facts.responseHeaderBytes = 30
        facts.responseBodyBytes = 40
        facts.decodedBodyBytes = 50
        facts.tlsVersion = .v1_3
        facts.tlsCipherSuite = 0x1301
        let metrics = try #require(URLSessionTaskTransactionMetrics(facts))
        #expect(metrics.request.httpMethod == "POST")
        #expect(metrics.request.value(forHTTPHeaderField: "Accept") == "*/*")
        #expect((metrics.response as? HTTPURLResponse)?.value(forHTTPHeaderField: "server") == "x")
        #expect(metrics.networkProtocolName == "h2")
        #expect(metrics.localAddress == "127.0.0.1")
        #expect(metrics.localPort == 1)
        #expect(metrics.remoteAddress == "::1")
        #expect(metrics.remotePort == 2)
        for (index, stage) in stages.enumerated() {
            #expect(metrics[keyPath: stage.1] == Date(timeIntervalSince1970: Double(index)))
        }
        #expect(metrics.isReusedConnection)
        #expect(!metrics.isProxyConnection)
        #expect(metrics.countOfRequestHeaderBytesSent == 10)
        #expect(metrics.countOfRequestBodyBytesSent == 20)
        #expect(metrics.countOfResponseHeaderBytesReceived == 30)
        #expect(metrics.countOfResponseBodyBytesReceived == 40)
        #expect(metrics.countOfResponseBodyBytesAfterDecoding == 50)
        #expect(metrics.negotiatedTLSProtocolVersion == .TLSv13)
        #expect(metrics.negotiatedTLSCipherSuite == .AES_128_GCM_SHA256)
    }

    @Test(arguments: TLSVersion.allCases)
    func `every version of TLS has Foundation's word`(version: TLSVersion) {
        #expect(TLSMapping.version(TLSMapping.version(version) as tls_protocol_version_t) == version)
    }
}
