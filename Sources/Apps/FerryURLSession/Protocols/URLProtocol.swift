public import Foundation
public import FoundationNetworking
import Synchronization

/// An app's own loader of requests, for a custom scheme or instead of the network in tests. Subclass it.
///
/// A session asks the classes of its configuration's `protocolClasses` in order. `URLSession.shared` asks the
/// registered classes, the most recent first. The first class that accepts a task loads it. Behaves as Apple's
/// `URLProtocol`.
open class URLProtocol: NSObject {
    /// The request to load.
    open private(set) var request: URLRequest
    /// The cached response to the request. Always nil in Ferry.
    open private(set) var cachedResponse: CachedURLResponse?
    /// The receiver of the protocol's events.
    open var client: (any URLProtocolClient)?
    /// The task to load; nil in an instance that was created without one.
    open private(set) var task: URLSessionTask?

    public init(request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?) {
        self.request = request
        self.cachedResponse = cachedResponse
        self.client = client
        super.init()
    }

    /// Creates an instance for a task, with the task's current request. Calls the other initializer.
    public required convenience init(
        task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
    ) {
        guard let request = task.currentRequest else { preconditionFailure("A task that is loaded has a request.") }
        let canonical = Self.canonicalRequest(for: request)
        self.init(request: canonical, cachedResponse: cachedResponse, client: client)
        self.task = task
    }

    // MARK: For subclasses

    /// Whether the class can load a request. The request includes the fields that the session adds.
    open class func canInit(with request: URLRequest) -> Bool { missing() }

    /// Whether the class can load a task. The default asks about the task's current request.
    open class func canInit(with task: URLSessionTask) -> Bool {
        task.currentRequest.map { canInit(with: $0) } ?? false
    }

    /// Returns the canonical form of a request, which is the form that is loaded.
    open class func canonicalRequest(for request: URLRequest) -> URLRequest { missing() }

    /// Whether two requests have equivalent responses. The default compares the requests.
    open class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { a == b }

    /// Starts loading the request. Called on a serial queue.
    open func startLoading() { Self.missing() }

    /// Stops loading after a cancel or the end of the load. Called on the same queue.
    open func stopLoading() { Self.missing() }

    private class func missing(_ method: String = #function) -> Never {
        preconditionFailure("\(self) must override \(method) of URLProtocol.")
    }

    // MARK: Properties of requests

    /// Returns a request's property, for example a mark that a class has already handled the request.
    open class func property(forKey key: String, in request: URLRequest) -> Any? {
        RequestProperties(request.value(forHTTPHeaderField: URLRequest.propertiesField)).values[key]
    }

    /// Sets a request's property. Copies of the request keep it.
    ///
    /// - Parameters:
    ///   - value: A property-list value; other values are ignored.
    ///   - key: The key of the property.
    ///   - request: The request.
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

    /// The registered classes, most recent first.
    static var registered: [URLProtocol.Type] { classes.withLock { $0 } }

    /// Registers a class for `URLSession.shared` and for configurations created by `URLSessionConfiguration.default`
    /// from then on. The class is asked before those registered earlier.
    ///
    /// - Returns: Whether the class is a subclass of `URLProtocol`.
    @discardableResult
    open class func registerClass(_ protocolClass: AnyClass) -> Bool {
        guard let kind = protocolClass as? URLProtocol.Type else { return false }
        classes.withLock { $0 = [kind] + $0.filter { $0 != kind } }
        return true
    }

    /// Unregisters a class.
    open class func unregisterClass(_ protocolClass: AnyClass) {
        classes.withLock { $0.removeAll { $0 == protocolClass } }
    }
}

/// A request's properties, stored in a header field that is never sent. swift-corelibs-foundation 6.3 drops its own
/// properties when a request is copied, but keeps fields.
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

/// The receiver of a `URLProtocol` instance's events. Implemented by the session.
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
