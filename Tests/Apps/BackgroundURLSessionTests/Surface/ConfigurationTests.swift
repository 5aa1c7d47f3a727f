@testable import FerryURLSession
import Foundation
import Testing

@Suite struct `Configurations` {
    @Test func `the defaults are Apple's`() {
        let configuration = URLSessionConfiguration.default
        #expect(configuration.identifier == nil)
        #expect(configuration.kind == .foreground)
        #expect(configuration.requestCachePolicy == .useProtocolCachePolicy)
        #expect(configuration.networkServiceType == .default)
        #expect(configuration.timeoutIntervalForRequest == 60)
        #expect(configuration.timeoutIntervalForResource == 604_800)
        #expect(configuration.allowsCellularAccess)
        #expect(configuration.allowsExpensiveNetworkAccess)
        #expect(configuration.allowsConstrainedNetworkAccess)
        #expect(!configuration.waitsForConnectivity)
        #expect(!configuration.isDiscretionary)
        #expect(configuration.sessionSendsLaunchEvents)
        #expect(configuration.connectionProxyDictionary == nil)
        #expect(configuration.httpAdditionalHeaders == nil)
        #expect(configuration.tlsMinimumSupportedProtocolVersion == .TLSv12)
        #expect(configuration.tlsMaximumSupportedProtocolVersion == .TLSv13)
        #expect(configuration.httpShouldSetCookies)
        #expect(configuration.httpCookieAcceptPolicy == .onlyFromMainDocumentDomain)
        #expect(configuration.httpCookieStorage === HTTPCookieStorage.shared)
        #expect(configuration.urlCredentialStorage === URLCredentialStorage.shared)
        #expect(configuration.urlCache === URLCache.shared)
        #expect(configuration.httpMaximumConnectionsPerHost == 6)
        #expect(configuration.protocolClasses != nil)
        #expect(configuration.sharedContainerIdentifier == nil)
        #expect(!configuration.httpShouldUsePipelining)
        #expect(!configuration.shouldUseExtendedBackgroundIdleMode)
        #expect(configuration.multipathServiceType == .none)
    }

    @Test func `properties without effect are kept`() throws {
        let configuration = URLSessionConfiguration.default
        configuration.multipathServiceType = .handover
        configuration.sharedContainerIdentifier = "group"
        let copy = try #require(configuration.copy() as? URLSessionConfiguration)
        #expect(copy.multipathServiceType == .handover && copy.sharedContainerIdentifier == "group")
    }

    @Test func `an ephemeral configuration has stores of its own, in memory`() throws {
        let (one, other) = (URLSessionConfiguration.ephemeral, URLSessionConfiguration.ephemeral)
        #expect(one.kind == .ephemeral)
        let cookies = try #require(one.httpCookieStorage)
        #expect(cookies !== HTTPCookieStorage.shared)
        #expect(cookies !== other.httpCookieStorage)
        #expect(one.urlCredentialStorage !== URLCredentialStorage.shared)
        #expect(one.urlCredentialStorage !== other.urlCredentialStorage)
        let cookie = try #require(
            HTTPCookie(properties: [.name: "a", .value: "b", .domain: "example.com", .path: "/"]))
        cookies.setCookie(cookie)
        #expect(cookies.cookies?.map(\.name) == ["a"])
        #expect(other.httpCookieStorage?.cookies?.isEmpty ?? true)
    }

    @Test func `a background configuration has its identifier and no cache`() {
        let configuration = URLSessionConfiguration.background(withIdentifier: "a")
        #expect(configuration.identifier == "a")
        #expect(configuration.kind == .background)
        #expect(configuration.urlCache == nil)
        #expect(configuration.sessionSendsLaunchEvents)
        #expect(configuration.httpCookieStorage === HTTPCookieStorage.shared)
    }

    @Test func `2.3 an empty identifier is refused`() async {
        await #expect(processExitsWith: .failure) {
            _ = URLSessionConfiguration.background(withIdentifier: "")
        }
    }

    @Test func `every call of a class property makes another configuration`() {
        URLSessionConfiguration.default.timeoutIntervalForRequest = 1
        #expect(URLSessionConfiguration.default.timeoutIntervalForRequest == 60)
    }

    @Test func `1 a copy has every value, and neither changes the other`() throws {
        let original = URLSessionConfiguration.background(withIdentifier: "a")
        original.requestCachePolicy = .returnCacheDataDontLoad
        original.timeoutIntervalForRequest = 1
        original.timeoutIntervalForResource = 2
        original.allowsCellularAccess = false
        original.isDiscretionary = true
        original.connectionProxyDictionary = ["HTTPEnable": 1]
        original.httpAdditionalHeaders = ["A": "b"]
        original.httpCookieStorage = nil
        original.protocolClasses = [URLProtocol.self]
        original.httpMaximumConnectionsPerHost = 1
        let copy = try #require(original.copy() as? URLSessionConfiguration)
        original.timeoutIntervalForRequest = 3
        copy.timeoutIntervalForResource = 4
        #expect(copy.identifier == "a")
        #expect(copy.kind == .background)
        #expect(copy.requestCachePolicy == .returnCacheDataDontLoad)
        #expect(copy.timeoutIntervalForRequest == 1)
        #expect(original.timeoutIntervalForResource == 2)
        #expect(!copy.allowsCellularAccess)
        #expect(copy.isDiscretionary)
        #expect(copy.connectionProxyDictionary?["HTTPEnable"] as? Int == 1)
        #expect(copy.httpAdditionalHeaders?["A"] as? String == "b")
        #expect(copy.httpCookieStorage == nil)
        #expect(copy.protocolClasses?.count == 1)
        #expect(copy.httpMaximumConnectionsPerHost == 1)
    }
}
