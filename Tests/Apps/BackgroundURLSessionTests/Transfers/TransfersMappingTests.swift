import FerryCore
import Foundation
import FoundationNetworking
import Testing

@testable import FerryURLSession

/// Mapping of tasks to transfers.
private typealias Configuration = FerryURLSession.URLSessionConfiguration

@Suite struct `The transfer of a task` {
    private func request(_ change: (inout URLRequest) -> Void = { _ in }) throws -> URLRequest {
        var request = URLRequest(url: try #require(URL(string: "https://example.org/a?b")))
        change(&request)
        return request
    }

    private func mapping(_ configuration: Configuration) throws -> TaskMapping {
        TaskMapping(configuration, session: try SessionID("app/id"), application: "app", identifier: "id")
    }

    private func download(_ request: URLRequest, _ configuration: Configuration) throws -> TransferRequest {
        try mapping(configuration).download(
            request, task: 7, record: TaskRecord(original: request, createdAt: Date(timeIntervalSince1970: 0)))
    }

    @Test func `4, 14 a task's transfer starts suspended, and every status is its result`() throws {
        let transfer = try download(request(), .default)
        #expect(
            transfer.timing.paused && transfer.file.spooled && transfer.response.statusPolicy == .any
                && transfer.transport.foreignFields == .keep)
        #expect(transfer.file.onFullDisk == .fail && transfer.url == "https://example.org/a?b")
        #expect(transfer.note?.task == 7 && transfer.note?.kind == .download && transfer.note?.identifier == "id")
        _ = try TransferAdmission.admit(transfer)
    }

    @Test func `67, 76 the first failure is final in the app, and none that may pass is in the daemon`() throws {
        let (local, daemon) = (
            try download(request(), .default), try download(request(), .background(withIdentifier: "x"))
        )
        #expect(local.timing.retries == 0 && local.timing.statusRetries == 0 && local.timing.retryRule == nil)
        #expect(
            daemon.timing.retries == nil && daemon.timing.retryRule == RetryRule() && daemon.timing.giveUpAfter == 0)
        #expect(local.transport.network.waits == false && daemon.transport.network.waits)
    }

    @Test func `20 a configuration's fields go where the request lacks them, and some never`() throws {
        let configuration = Configuration.default
        configuration.httpAdditionalHeaders = [
            "X-A": "1", "x-b": 2, "Authorization": "s", "Host": "h", "Cookie": "c=1",
        ]
        let fields = try RequestFieldMapping.fields(
            request { $0.setValue("own", forHTTPHeaderField: "X-a") }, configuration)
        #expect(fields.first { $0.isNamed("X-A") }?.value == "own" && fields.count { $0.isNamed("X-A") } == 1)
        #expect(fields.first { $0.isNamed("X-B") }?.value == "2")
        #expect(fields.contains { $0.isNamed("Cookie") })
        #expect(fields.first { $0.isNamed("Authorization") }?.value == "s")
        #expect(!fields.contains { $0.isNamed("Host") })
    }

    /// A regression: Alamofire's default fields made no download resumable.
    @Test(arguments: [("br;q=1.0, gzip;q=0.9, deflate;q=0.8", nil), ("gzip, identity;q=0", "gzip, identity;q=0")])
    func `20 a download asks for no coding where its request admits that`(value: String, sent: String?) throws {
        let asked = try request { $0.setValue(value, forHTTPHeaderField: "Accept-Encoding") }
        let download = RequestFieldMapping.fields(asked, .default)
        #expect(download.first { $0.isNamed("Accept-Encoding") }?.value == sent)
        let data = RequestFieldMapping.fields(asked, .default, acceptsEncodings: true)
        #expect(data.first { $0.isNamed("Accept-Encoding") }?.value == value)
    }

    @Test func `19 a request that wants no cached answer says so`() throws {
        let fields = try RequestFieldMapping.fields(
            request { $0.cachePolicy = .reloadIgnoringLocalAndRemoteCacheData }, .default)
        #expect(
            fields == [
                HeaderField(name: "Cache-Control", value: "no-cache"), HeaderField(name: "Pragma", value: "no-cache"),
            ])
        let configuration = Configuration.default
        configuration.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
        #expect(try RequestFieldMapping.fields(request(), configuration) == fields)
        #expect(try RequestFieldMapping.fields(request(), .default).isEmpty)
    }

    @Test func `fields that are the engine's are left out`() throws {
        let sent = try request { request in
            for name in ["Content-Length", "Connection", "Proxy-Authorization", "TE"] {
                request.setValue("1", forHTTPHeaderField: name)
            }
            request.allowsExpensiveNetworkAccess = false
        }
        #expect(RequestFieldMapping.fields(sent, .default).isEmpty)
    }

    @Test(arguments: [(60.0, 20.0, 20.0), (30, 20, 30), (0, 20, nil), (.greatestFiniteMagnitude, 20, nil)])
    func `21 the request's timeout goes before the session's`(_ own: Double, _ session: Double, _ expected: Double?)
        throws
    {
        let configuration = Configuration.default
        configuration.timeoutIntervalForRequest = session
        configuration.timeoutIntervalForResource = 99
        let transfer = try download(request { $0.timeoutInterval = own }, configuration)
        #expect(
            transfer.timing.idleTimeout == expected ?? RequestFieldMapping.longest
                && transfer.timing.resourceTimeout == 99)
    }

    @Test func `71, 74 the stricter network flags win`() throws {
        let configuration = Configuration.background(withIdentifier: "x")
        configuration.allowsCellularAccess = false
        configuration.isDiscretionary = true
        let transfer = try download(request { $0.allowsConstrainedNetworkAccess = false }, configuration)
        #expect(
            transfer.transport.network
                == NetworkPolicy(
                    allowsCellular: false, allowsExpensive: true, allowsConstrained: false, isDiscretionary: true,
                    waits: true))
        configuration.isDiscretionary = false
        #expect(try download(request(), configuration).transport.network.allowsConstrained)
    }

    @Test func `23 matching cookies travel with a background task, unless it has its own`() throws {
        let configuration = Configuration.background(withIdentifier: "x")
        let storage = Configuration.ephemeral.httpCookieStorage
        configuration.httpCookieStorage = storage
        for (name, domain) in [("a", "example.org"), ("b", "example.com")] {
            let cookie = HTTPCookie(properties: [.name: name, .value: "1", .domain: domain, .path: "/"])
            storage?.setCookie(try #require(cookie))
        }
        #expect(try download(request(), configuration).cookies.map(\.name) == ["a"])
        #expect(
            try download(request { $0.setValue("c=2", forHTTPHeaderField: "Cookie") }, configuration).cookies.isEmpty)
        configuration.httpShouldSetCookies = false
        #expect(try download(request(), configuration).cookies.isEmpty)
    }

    @Test func `7 options beyond Apple's URLSession are submitted with the task`() throws {
        var record = TaskRecord(original: try request(), createdAt: Date())
        var options = TaskOptions()
        options.bytesPerSecondLimit = 10
        options.retryPolicy = RetryPolicy(initialDelay: 3, statusCodes: [503])
        options.expectedDigest = .init(.sha256, hex: String(repeating: "A", count: 64))
        record.options = options
        record.priority = 0.75
        let transfer = try mapping(.background(withIdentifier: "x")).download(request(), task: 1, record: record)
        #expect(
            transfer.transport.rateLimit == 1024 && transfer.timing.priority == .high
                && transfer.timing.retryRule?.statusCodes == [503])
        #expect(transfer.response.checksums.map(\.description) == ["sha256:" + String(repeating: "a", count: 64)])
        #expect(TaskRecord(encoded: try #require(transfer.note).data) == record)
    }

    @Test func `70 the daemon leaves an attached app the time to answer before a task begins`() throws {
        var record = TaskRecord(original: try request(), createdAt: Date())
        record.earliestBeginDate = Date(timeIntervalSince1970: 1000)
        let daemon = try mapping(.background(withIdentifier: "x")).download(request(), task: 1, record: record)
        #expect(daemon.timing.notBefore == Date(timeIntervalSince1970: 1030))
        #expect(try mapping(.default).download(request(), task: 1, record: record).timing.notBefore == nil)
    }

    @Test func `5 a record brings a task's properties to the next process`() throws {
        var record = TaskRecord(original: try request { $0.allowsCellularAccess = false }, createdAt: Date())
        record.description = "mine"
        record.current = RequestRecord(try request { $0.httpMethod = "POST" })
        record.expectsToReceive = 12
        record.earliestBeginDate = Date(timeIntervalSince1970: 1000)
        record.prefersIncrementalDelivery = false
        let read = try #require(TaskRecord(encoded: record.encoded()))
        #expect(read == record)
        #expect(read.original.request?.allowsCellularAccess == false && read.current?.request?.httpMethod == "POST")
        #expect(TaskRecord(encoded: "{}") == nil)
    }

    @Test func `5 a task of an earlier process has the recorded properties`() throws {
        let session = FerryURLSession.URLSession(configuration: Configuration.default)
        defer { session.invalidateAndCancel() }
        let task = session.downloadTask(with: try request())
        var record = TaskRecord(original: try request { $0.allowsCellularAccess = false }, createdAt: task.createdAt)
        record.current = RequestRecord(try request { $0.httpMethod = "POST" })
        record.description = "mine"
        record.priority = 0.75
        record.prefersIncrementalDelivery = false
        record.expectsToSend = 5
        record.expectsToReceive = 12
        record.earliestBeginDate = Date(timeIntervalSince1970: 1000)
        record.restore(task)
        #expect(TaskRecord(task) == record)
        #expect(task.earliestBeginDate == record.earliestBeginDate)
    }

    @Test func `28 proxies are those of the configuration, else of the environment`() {
        let environment = ["http_proxy": "http://e:1", "no_proxy": "x"]
        #expect(ProxyMapping.environment(nil, inherited: environment) == environment)
        #expect(ProxyMapping.environment([:], inherited: environment) == [:])
        let own: [AnyHashable: Any] = [
            "HTTPEnable": 1, "HTTPProxy": "p", "HTTPPort": 3128, "HTTPSEnable": true, "HTTPSProxy": "::1",
            "HTTPSPort": 8080, "SOCKSEnable": 0, "SOCKSProxy": "s", "ExceptionsList": ["*.local", "a.b"],
        ]
        #expect(
            ProxyMapping.environment(own, inherited: environment) == [
                "http_proxy": "http://p:3128", "https_proxy": "http://[::1]:8080", "no_proxy": ".local,a.b",
            ])
        #expect(
            ProxyMapping.environment(["SOCKSEnable": 1, "SOCKSProxy": "s", "SOCKSPort": 1080], inherited: [:])
                == ["all_proxy": "socks5://s:1080"])
    }
}
