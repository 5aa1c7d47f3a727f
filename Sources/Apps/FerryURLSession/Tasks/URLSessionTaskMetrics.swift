package import FerryCore
public import Foundation
public import FoundationNetworking

/// The times and byte counts of a task.
open class URLSessionTaskMetrics: NSObject, @unchecked Sendable {  // SAFETY: immutable after init
    public enum ResourceFetchType: Int, Sendable { case unknown, networkLoad, serverPush, localCache }
    public enum DomainResolutionProtocol: Int, Sendable { case unknown, udp, tcp, tls, https }

    private let transactions: [URLSessionTaskTransactionMetrics]
    private let interval: DateInterval

    /// - Parameter interval: The time from the task's creation to its completion.
    package init(_ exchanges: [ExchangeFacts], interval: DateInterval) {
        transactions = exchanges.compactMap(URLSessionTaskTransactionMetrics.init)
        self.interval = interval
        super.init()
    }

    /// The metrics of each request, including redirects and retries.
    open var transactionMetrics: [URLSessionTaskTransactionMetrics] { transactions }
    open var taskInterval: DateInterval { interval }
    /// The number of redirects that were followed. A redirect response that is the result does not count.
    open var redirectCount: Int {
        transactions.dropLast().count { transaction in
            (transaction.response as? HTTPURLResponse).map { [301, 302, 303, 307, 308].contains($0.statusCode) }
                ?? false
        }
    }
}

/// The times and byte counts of a request. A date is nil if its stage did not occur or is unknown.
open class URLSessionTaskTransactionMetrics: NSObject, @unchecked Sendable {  // SAFETY: immutable after init
    private let facts: ExchangeFacts
    private let made: (request: URLRequest, response: URLResponse?)

    init?(_ facts: ExchangeFacts) {
        guard let url = URL(string: facts.url) else { return nil }
        var request = URLRequest(url: url)
        request.httpMethod = facts.method
        for field in facts.fields { request.addValue(field.value, forHTTPHeaderField: field.name) }
        self.facts = facts
        made = (request, facts.response.flatMap(ResponseMapping.response))
        super.init()
    }

    open var request: URLRequest { made.request }
    open var response: URLResponse? { made.response }
    open var networkProtocolName: String? { facts.networkProtocol }
    open var localAddress: String? { facts.localAddress }
    open var remoteAddress: String? { facts.remoteAddress }
    open var localPort: Int? { facts.localPort }
    open var remotePort: Int? { facts.remotePort }

    open var fetchStartDate: Date? { facts.fetchStart }
    open var domainLookupStartDate: Date? { facts.domainLookupStart }
    open var domainLookupEndDate: Date? { facts.domainLookupEnd }
    open var connectStartDate: Date? { facts.connectStart }
    open var secureConnectionStartDate: Date? { facts.secureConnectionStart }
    open var secureConnectionEndDate: Date? { facts.secureConnectionEnd }
    open var connectEndDate: Date? { facts.connectEnd }
    open var requestStartDate: Date? { facts.requestStart }
    open var requestEndDate: Date? { facts.requestEnd }
    open var responseStartDate: Date? { facts.responseStart }
    open var responseEndDate: Date? { facts.responseEnd }

    open var isProxyConnection: Bool { facts.isProxyConnection }
    open var isReusedConnection: Bool { facts.isReusedConnection }
    /// Always false: the type of the network is not recorded.
    open var isCellular: Bool { false }
    open var isExpensive: Bool { false }
    open var isConstrained: Bool { false }
    open var isMultipath: Bool { false }

    open var countOfRequestHeaderBytesSent: Int64 { facts.requestHeaderBytes }
    open var countOfRequestBodyBytesSent: Int64 { facts.requestBodyBytes }
    open var countOfRequestBodyBytesBeforeEncoding: Int64 { facts.requestBodyBytes }
    open var countOfResponseHeaderBytesReceived: Int64 { facts.responseHeaderBytes }
    open var countOfResponseBodyBytesReceived: Int64 { facts.responseBodyBytes }
    open var countOfResponseBodyBytesAfterDecoding: Int64 { facts.decodedBodyBytes }

    open var negotiatedTLSProtocolVersion: tls_protocol_version_t? { facts.tlsVersion.map(TLSMapping.version) }
    open var negotiatedTLSCipherSuite: tls_ciphersuite_t? {
        facts.tlsCipherSuite.flatMap { tls_ciphersuite_t(rawValue: $0) }
    }
    open var resourceFetchType: URLSessionTaskMetrics.ResourceFetchType {
        facts.response != nil && facts.requestStart == nil ? .localCache : .networkLoad
    }
    open var domainResolutionProtocol: URLSessionTaskMetrics.DomainResolutionProtocol { .unknown }
}

extension ExchangeFacts {
    /// Creates the metrics of a response from the cache, without a server.
    init(ofCache response: HTTPURLResponse, fetched: Date) {
        let url = response.url?.absoluteString ?? ""
        self.init(url: url, method: "GET")
        let fields = response.allHeaderFields.map { HeaderField(name: "\($0.key)", value: "\($0.value)") }
        self.response = ResponseFacts(url: url, status: response.statusCode, version: "HTTP/1.1", fields: fields)
        fetchStart = fetched
    }

    /// Creates the facts of a load by the app's own protocol class.
    ///
    /// - Parameters:
    ///   - response: The response, if the class gave one.
    ///   - dates: When loading, the response and its end came.
    init(ofProtocol request: URLRequest?, _ response: URLResponse?, _ dates: ProtocolDates) {
        let url = request?.url?.absoluteString ?? ""
        self.init(url: url, method: request?.httpMethod ?? "GET")
        if let response = response as? HTTPURLResponse {
            let fields = response.allHeaderFields.map { HeaderField(name: "\($0.key)", value: "\($0.value)") }
            self.response = ResponseFacts(url: url, status: response.statusCode, version: "HTTP/1.1", fields: fields)
        }
        (fetchStart, requestStart) = (dates.start, dates.start)
        (responseStart, responseEnd) = (dates.response, dates.end)
    }
}

/// The dates of a load by the app's own protocol class.
struct ProtocolDates: Sendable {
    let start = Date()
    private(set) var response: Date?
    private(set) var end: Date?

    mutating func responded() { if response == nil { response = Date() } }
    mutating func ended() { end = Date() }
}
