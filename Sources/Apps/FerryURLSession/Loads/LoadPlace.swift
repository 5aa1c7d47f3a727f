import FerryCore
import FerryEngine
import FerryService
import Foundation
import FoundationNetworking

/// Creates the engine's request of a data or upload task.
enum LoadMapping {
    static func request(
        _ request: URLRequest, body: LoadBody, configuration: URLSessionConfiguration, proxies: [String: String],
        trust: TrustScope
    ) -> LoadRequest {
        var load = LoadRequest(
            url: request.url?.absoluteString ?? "", method: request.httpMethod ?? "GET",
            fields: RequestFieldMapping.fields(request, configuration, acceptsEncodings: true), body: body)
        load.idleTimeout = RequestFieldMapping.timeout(request, configuration)
        load.proxyEnvironment = proxies
        load.trust = trust
        load.minimumTLS = TLSMapping.version(configuration.tlsMinimumSupportedProtocolVersion)
        load.maximumTLS = TLSMapping.version(configuration.tlsMaximumSupportedProtocolVersion)
        load.decodes = true
        return load
    }
}

/// Context shared by the loads of one session.
struct LoadPlace: Sendable {
    let engine: @Sendable () async throws -> Engine
    /// The proxies at the creation of the session (docs/behaviour/url-session.md#28).
    let proxies: [String: String]
    /// Certificates that the session's delegate has accepted.
    let trust: TrustScope
    /// The folder for files of downloads that have no transfer.
    let folder: URL
    /// Returns the condition that blocks requests to a URL, at once and after each change.
    var obstacles: @Sendable (String, NetworkPolicy) async throws -> AsyncStream<WaitReason?> = {
        try await LocalService.shared.service().obstacles(to: $0, $1)
    }
}

/// The delivery rate of a task's data, from `bytesPerSecondLimit`. Data that is not delivered yet is not read from the
/// server.
struct LoadPace: Sendable {
    private static let origin = ContinuousClock.now

    private var bucket: TokenBucket

    init(limit: Int64?) { bucket = TokenBucket(rate: TaskMapping.rate(limit), now: Self.nanoseconds(.now)) }

    /// - Parameter limit: Bytes per second; nil is no limit.
    mutating func set(limit: Int64?) {
        bucket.setRate(TaskMapping.rate(limit), now: Self.nanoseconds(.now))
    }

    /// Returns how many of the available bytes to deliver next, and after which delay.
    mutating func next(of count: Int, now: ContinuousClock.Instant) -> (count: Int, wait: Duration) {
        guard bucket.rate > 0 else { return (count, .zero) }
        // Parts of a sixty-fourth of a second keep the flow even.
        let count = min(count, max(256, Int(bucket.rate / 64)))
        return (count, .nanoseconds(bucket.reserve(count, now: Self.nanoseconds(now))))
    }

    private static func nanoseconds(_ instant: ContinuousClock.Instant) -> UInt64 {
        let (seconds, attoseconds) = (instant - origin).components
        return UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
    }
}
