import BackgroundURLSession
import FerryCore
import Foundation
import Testing

@testable import Ferry
@testable import FerryURLSession

/// The clients whose transfers a configuration and a request determine.
enum Way: String, CaseIterable {
    case foreground, background, manager, chain

    /// Returns what a configuration and a request determine, as texts by name.
    func facts(_ configuration: URLSessionConfiguration, _ request: URLRequest) throws -> [String: String] {
        switch self {
        case .foreground, .background:
            return try sessionFacts(configuration, request)
        case .manager:
            // A manager's calls take these parts of a request.
            let url = try #require(request.url)
            let method = request.httpMethod.flatMap(HTTPMethod.init) ?? .get
            let asked = URLRequest(url, method: method, headers: request.sentFields, body: request.httpBody)
            let cache = Cache("table", downloadPath: "/table")
            return try managerFacts(configuration) { mapping in
                if let error = mapping.refusal(asked) { throw error }
                return mapping.download(asked, in: cache)
            }
        case .chain:
            return try managerFacts(configuration) { mapping in
                if let error = mapping.refusal(request) { throw error }
                return mapping.chainDownload(request)
            }
        }
    }

    private func sessionFacts(
        _ configuration: URLSessionConfiguration, _ request: URLRequest
    ) throws -> [String: String] {
        let url = try #require(request.url)
        let record = TaskRecord(original: URLRequest(url: url), createdAt: Date(timeIntervalSince1970: 0))
        let mapping = TaskMapping(
            configuration, session: try SessionID("app/table"), application: "app", identifier: "table")
        var transfer = mapping.download(request, task: 1, record: record)
        // The record of a task has all properties of its request.
        transfer.note = nil
        var facts = ["transfer": try Self.text(transfer)]
        if let error = RequestMapping.refusal(request, configuration) { facts["refusal"] = "\(error.code)" }
        facts["connections"] = "\(configuration.httpMaximumConnectionsPerHost)"
        // The advisor of a task that runs reads these. In the background the daemon asks it for credentials.
        facts["stored credentials"] = "\(configuration.urlCredentialStorage?.logins(for: url).map(\.user) ?? [])"
        if self == .foreground {
            let jar = CookieJar(configuration, request: request)
            facts["cookies"] = "\(jar.field(for: url.absoluteString) ?? "") \(jar.isOpen)"
            facts["protocols"] = "\(configuration.protocolClasses?.count ?? 0)"
        } else {
            facts["launches"] = "\(configuration.sessionSendsLaunchEvents)"
        }
        return facts
    }

    private func managerFacts(
        _ configuration: URLSessionConfiguration, _ transfer: (ManagerMapping) throws -> TransferRequest
    ) throws -> [String: String] {
        let place = try #require(SessionPlace(DaemonService.shared, identifier: "table"))
        let mapping = ManagerMapping(SessionConfiguration(configuration), base: configuration, place: place)
        var facts: [String: String]
        do {
            facts = ["transfer": try Self.text(transfer(mapping))]
        } catch let error as URLError {
            facts = ["refusal": "\(error.code)"]
        }
        facts["settings"] = try Self.text(mapping.settings)
        facts["launches"] = "\(ManagedSessions.sendsLaunchEvents(configuration))"
        return facts
    }

    private static func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

/// A property, and the reason why it has no effect in some ways.
struct PropertyRow: Sendable, CustomTestStringConvertible {
    let name: String
    let change: @Sendable (URLSessionConfiguration, inout URLRequest) -> Void
    var reasons: [Way: String] = [:]

    init(
        _ name: String, _ reasons: [Way: String] = [:],
        change: @escaping @Sendable (URLSessionConfiguration, inout URLRequest) -> Void
    ) {
        self.name = name
        self.change = change
        self.reasons = reasons
    }

    var testDescription: String { name }

    /// Whether setting the property changes what a way sends.
    func hasEffect(in way: Way) throws -> Bool {
        func facts(_ change: (URLSessionConfiguration, inout URLRequest) -> Void) throws -> [String: String] {
            let configuration =
                way == .foreground ? URLSessionConfiguration.ephemeral : .background(withIdentifier: "table")
            configuration.httpCookieStorage = PrivateStores.cookies()
            configuration.urlCredentialStorage = URLCredentialStorage()
            configuration.httpCookieStorage?.setCookie(try #require(PropertyTable.cookie("a")))
            var request = URLRequest(url: try PropertyTable.url("/a"))
            change(configuration, &request)
            return try way.facts(configuration, request)
        }
        return try facts { _, _ in } != facts(change)
    }
}

/// The properties of configurations and requests, and where each counts.
enum PropertyTable {
    static let server = "https://example.org:8443"

    static func url(_ path: String) throws -> URL { try #require(URL(string: server + path)) }

    static func cookie(_ name: String) -> HTTPCookie? {
        HTTPCookie(properties: [.name: name, .value: "1", .domain: "example.org", .path: "/"])
    }

    private static let all = Dictionary(uniqueKeysWithValues: Way.allCases.map { ($0, "no effect on Linux") })

    static let configuration: [PropertyRow] = [
        PropertyRow("requestCachePolicy") { configuration, _ in
            configuration.requestCachePolicy = .reloadIgnoringLocalAndRemoteCacheData
        },
        PropertyRow("timeoutIntervalForRequest") { configuration, _ in configuration.timeoutIntervalForRequest = 7 },
        PropertyRow("timeoutIntervalForResource") { configuration, _ in configuration.timeoutIntervalForResource = 7 },
        PropertyRow("allowsCellularAccess") { configuration, _ in configuration.allowsCellularAccess = false },
        PropertyRow("allowsExpensiveNetworkAccess") { configuration, _ in
            configuration.allowsExpensiveNetworkAccess = false
        },
        PropertyRow("allowsConstrainedNetworkAccess") { configuration, _ in
            configuration.allowsConstrainedNetworkAccess = false
        },
        PropertyRow(
            "waitsForConnectivity",
            [.background: "always waits", .manager: "the daemon always waits", .chain: "the daemon always waits"]
        ) { configuration, _ in configuration.waitsForConnectivity = true },
        PropertyRow("isDiscretionary", [.foreground: "background only, as Apple has it"]) { configuration, _ in
            configuration.isDiscretionary = true
        },
        PropertyRow("sessionSendsLaunchEvents", [.foreground: "background only, as Apple has it"]) { configuration, _ in
            configuration.sessionSendsLaunchEvents = false
        },
        PropertyRow("connectionProxyDictionary") { configuration, _ in
            configuration.connectionProxyDictionary = ["HTTPSEnable": 1, "HTTPSProxy": "proxy.example", "HTTPSPort": 1]
        },
        PropertyRow("httpAdditionalHeaders") { configuration, _ in configuration.httpAdditionalHeaders = ["X-A": "1"] },
        PropertyRow("tlsMinimumSupportedProtocolVersion") { configuration, _ in
            configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
        },
        PropertyRow("tlsMaximumSupportedProtocolVersion") { configuration, _ in
            configuration.tlsMaximumSupportedProtocolVersion = .TLSv12
        },
        PropertyRow("httpShouldSetCookies") { configuration, _ in configuration.httpShouldSetCookies = false },
        PropertyRow("httpCookieAcceptPolicy") { configuration, _ in configuration.httpCookieAcceptPolicy = .never },
        PropertyRow("httpCookieStorage") { configuration, _ in
            if let cookie = cookie("b") { configuration.httpCookieStorage?.setCookie(cookie) }
        },
        PropertyRow("urlCredentialStorage") { configuration, _ in
            let space = URLProtectionSpace(
                host: "example.org", port: 8443, protocol: "https", realm: "r",
                authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
            configuration.urlCredentialStorage?.set(
                URLCredential(user: "u", password: "p", persistence: .forSession), for: space)
        },
        PropertyRow(
            "urlCache",
            [
                .foreground: "data tasks only: downloads use no cache", .background: "downloads use no cache",
                .manager: "downloads use no cache", .chain: "downloads use no cache",
            ]
        ) { configuration, _ in configuration.urlCache = URLCache(memoryCapacity: 1, diskCapacity: 0) },
        PropertyRow("httpMaximumConnectionsPerHost") { configuration, _ in
            configuration.httpMaximumConnectionsPerHost = 2
        },
        PropertyRow(
            "protocolClasses",
            [
                .background: "the daemon cannot run the app's classes", .manager: "as in a background session",
                .chain: "as in a background session",
            ]
        ) { configuration, _ in configuration.protocolClasses = [URLProtocol.self] },
        PropertyRow("networkServiceType", all) { configuration, _ in configuration.networkServiceType = .background },
        PropertyRow("httpShouldUsePipelining", all) { configuration, _ in configuration.httpShouldUsePipelining = true
        },
        PropertyRow("sharedContainerIdentifier", all) { configuration, _ in
            configuration.sharedContainerIdentifier = "group"
        },
        PropertyRow("shouldUseExtendedBackgroundIdleMode", all) { configuration, _ in
            configuration.shouldUseExtendedBackgroundIdleMode = true
        },
        PropertyRow("multipathServiceType", all) { configuration, _ in
            configuration.multipathServiceType = .handover
        },
    ]

    private static func pipeline(_ request: inout some Pipelining) { request.httpShouldUsePipelining = true }

    /// Why a manager's own calls do not have a property.
    private static let noRequest: [Way: String] = [.manager: "its calls take a URL, a method, fields and a body"]

    static let request: [PropertyRow] = [
        PropertyRow("url") { _, request in request.url = URL(string: server + "/b") },
        PropertyRow("cachePolicy", noRequest) { _, request in request.cachePolicy = .returnCacheDataDontLoad },
        PropertyRow("timeoutInterval", noRequest) { _, request in request.timeoutInterval = 7 },
        PropertyRow(
            "mainDocumentURL",
            [
                .foreground: "an accept policy of `HTTPCookieStorage` reads it",
                .background: "the daemon has no such policy",
                .manager: "the daemon has no such policy", .chain: "the daemon has no such policy",
            ]
        ) { _, request in request.mainDocumentURL = URL(string: "https://example.net/") },
        PropertyRow("allowsCellularAccess", noRequest) { _, request in request.allowsCellularAccess = false },
        PropertyRow("allowsExpensiveNetworkAccess", noRequest) { _, request in
            request.allowsExpensiveNetworkAccess = false
        },
        PropertyRow("allowsConstrainedNetworkAccess", noRequest) { _, request in
            request.allowsConstrainedNetworkAccess = false
        },
        PropertyRow("httpMethod") { _, request in request.httpMethod = "POST" },
        PropertyRow("allHTTPHeaderFields") { _, request in request.allHTTPHeaderFields = ["X-A": "1"] },
        PropertyRow("httpBody") { _, request in request.httpBody = Data("a".utf8) },
        PropertyRow(
            "httpBodyStream",
            [
                .foreground: "data and upload tasks only", .background: "a precondition failure",
                .manager: "a download sends no stream", .chain: "a download sends no stream",
            ]
        ) { _, request in request.httpBodyStream = InputStream(data: Data()) },
        PropertyRow("httpShouldHandleCookies", noRequest) { _, request in request.httpShouldHandleCookies = false },
        PropertyRow("networkServiceType", all) { _, request in request.networkServiceType = .background },
        PropertyRow("httpShouldUsePipelining", all) { _, request in pipeline(&request) },
        PropertyRow("attribution", all) { _, request in request.attribution = .user },
        PropertyRow("assumesHTTP3Capable", all) { _, request in request.assumesHTTP3Capable = true },
    ]
}

/// Sets a property that Foundation has deprecated.
private protocol Pipelining {
    var httpShouldUsePipelining: Bool { get set }
}

extension URLRequest: Pipelining {}
