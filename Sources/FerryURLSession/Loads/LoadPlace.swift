import FerryCore
import FerryEngine
import FerryService
import Foundation
import FoundationNetworking

/// Makes the engine's request of a data or upload task.
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

/// What the loads of one session share.
struct LoadPlace: Sendable {
    let engine: @Sendable () async throws -> Engine
    /// The proxies as they were when the session was made (docs/behaviour/url-session.md#28).
    let proxies: [String: String]
    /// Certificates that the session's delegate has answered for.
    let trust: TrustScope
    /// Where the files of downloads go that are not carried as transfers.
    let folder: URL
    /// Which condition is in the way of requests to a URL: now, and after each change.
    var obstacles: @Sendable (String, NetworkPolicy) async throws -> AsyncStream<WaitReason?> = {
        try await LocalService.shared.service().obstacles(to: $0, $1)
    }
}

/// How fast a task's data are handed on, as `bytesPerSecondLimit` says; what is not handed on is not read from the server.
struct LoadPace: Sendable {
    private static let origin = ContinuousClock.now

    private var bucket: TokenBucket

    init(limit: Int64?) { bucket = TokenBucket(rate: RequestMapping.rate(limit), now: Self.nanoseconds(.now)) }

    /// - Parameter limit: bytes per second; nil is no limit.
    mutating func set(limit: Int64?) {
        bucket.setRate(RequestMapping.rate(limit), now: Self.nanoseconds(.now))
    }

    /// How many of the bytes that are there come next, and how long they have to wait.
    mutating func next(of count: Int, now: ContinuousClock.Instant) -> (count: Int, wait: Duration) {
        guard bucket.rate > 0 else { return (count, .zero) }
        // Pieces of a sixty-fourth of a second keep the flow even.
        let count = min(count, max(256, Int(bucket.rate / 64)))
        return (count, .nanoseconds(bucket.reserve(count, now: Self.nanoseconds(now))))
    }

    private static func nanoseconds(_ instant: ContinuousClock.Instant) -> UInt64 {
        let (seconds, attoseconds) = (instant - origin).components
        return UInt64(max(0, seconds)) * 1_000_000_000 + UInt64(max(0, attoseconds) / 1_000_000_000)
    }
}
