public import Foundation
public import FoundationNetworking
import Synchronization

/// Loads requests in an app's own way: for a scheme of its own, or in place of the network in a test. Apps subclass it.
///
/// A session asks the classes of its configuration's `protocolClasses` in order; `URLSession.shared` asks the registered
/// classes, the latest first. The first class that accepts a task loads it. Behaves as Apple's `URLProtocol`.
open class URLProtocol: NSObject {
    /// The request to load.
    open private(set) var request: URLRequest
    /// The response that the session's cache has for the request. Nil in Ferry, which passes none.
    open private(set) var cachedResponse: CachedURLResponse?
    /// Gets what is loaded.
    open var client: (any URLProtocolClient)?
    /// The task to load for; nil in an instance that was not made for one.
    open private(set) var task: URLSessionTask?

    public init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
        self.request = request
        self.cachedResponse = cachedResponse
        self.client = client
        super.init()
    }

    /// Makes an instance that loads a task's current request, by the other initializer.
    public required convenience init(
        task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        guard let request = task.currentRequest else { preconditionFailure("A task that is loaded has a request.") }
        let canonical = Self.canonicalRequest(for: request)
        self.init(request: canonical, cachedResponse: cachedResponse, client: client)
        self.task = task
    }

    // MARK: For subclasses

    /// Whether the class loads a request. The request has the fields that the session adds.
    open class func canInit(with request: URLRequest) -> Bool { missing() }

    /// Whether the class loads a task; by default, whether it loads the task's current request.
    open class func canInit(with task: URLSessionTask) -> Bool {
        task.currentRequest.map { canInit(with: $0) } ?? false
    }

    /// Returns the form of a request that is loaded.
    open class func canonicalRequest(for request: URLRequest) -> URLRequest { missing() }

    /// Whether the response to one request is one to another, too; by default, whether they are equal.
    open class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { a == b }

    /// Begins to load the request. Called on a serial queue.
    open func startLoading() { Self.missing() }

    /// Stops loading the request: it was canceled, or is over. Called on the same queue.
    open func stopLoading() { Self.missing() }

    private class func missing(_ method: String = #function) -> Never {
        preconditionFailure("\(self) must override \(method) of URLProtocol.")
    }

    // MARK: Properties of requests

    /// Returns the value that a request has under a key, such as a mark that a class has loaded it already.
    open class func property(forKey key: String, in request: URLRequest) -> Any? {
        RequestProperties(request.value(forHTTPHeaderField: URLRequest.propertiesField)).values[key]
    }

    /// Gives a request a value under a key, which its copies have too.
    ///
    /// - Parameter value: a value of a property list; another one is not kept.
    open class func setProperty(_ value: Any, forKey key: String, in request: NSMutableURLRequest) {
        change(request) { $0[key] = value }
    }

    open class func removeProperty(forKey key: String, in request: NSMutableURLRequest) {
        change(request) { $0[key] = nil }
    }

    private class func change(_ request: NSMutableURLRequest, _ body: (inout [String: Any]) -> Void) {
        var properties = RequestProperties(request.value(forHTTPHeaderField: URLRequest.propertiesField))
        body(&properties.values)
        request.setValue(properties.field, forHTTPHeaderField: URLRequest.propertiesField)
    }

    // MARK: Registered classes

    private static let classes = Mutex<[URLProtocol.Type]>([])

    /// The registered classes, the last one first.
    static var registered: [URLProtocol.Type] { classes.withLock { $0 } }

    /// Registers a class for `URLSession.shared`, and for configurations that are made later by
    /// `URLSessionConfiguration.default`. It is asked before the classes that were registered earlier.
    ///
    /// - Returns: whether the class is one of `URLProtocol`.
    @discardableResult
    open class func registerClass(_ protocolClass: AnyClass) -> Bool {
        guard let kind = protocolClass as? URLProtocol.Type else { return false }
        classes.withLock { $0 = [kind] + $0.filter { $0 != kind } }
        return true
    }

    /// Takes back the registration of a class.
    open class func unregisterClass(_ protocolClass: AnyClass) {
        classes.withLock { $0.removeAll { $0 == protocolClass } }
    }
}

/// The properties of a request as a field that is never sent: swift-corelibs-foundation 6.3 loses its own when a request is
/// copied, and fields survive.
private struct RequestProperties {
    var values: [String: Any] = [:]

    init(_ field: String?) {
        guard let data = field.flatMap({ Data(base64Encoded: $0) }),
            let list = unsafe try? PropertyListSerialization.propertyList(from: data, format: nil)
        else { return }
        values = list as? [String: Any] ?? [:]
    }

    var field: String? {
        let kept = values.filter { PropertyListSerialization.propertyList($0.value, isValidFor: .binary) }
        guard !kept.isEmpty else { return nil }
        return try? PropertyListSerialization.data(fromPropertyList: kept, format: .binary, options: 0)
            .base64EncodedString()
    }
}

@available(*, unavailable)
extension URLProtocol: @unchecked Sendable {}  // SAFETY: unavailable, which says that it is not Sendable

/// Gets what a `URLProtocol` loads; a session's own object.
public protocol URLProtocolClient: NSObjectProtocol, Sendable {
    func urlProtocol(_ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse)
    func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse)
    func urlProtocol(
        _ protocol: URLProtocol, didReceive response: URLResponse, cacheStoragePolicy policy: URLCache.StoragePolicy)
    func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)
    func urlProtocolDidFinishLoading(_ protocol: URLProtocol)
    func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)
    func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge)
    func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge)
}
