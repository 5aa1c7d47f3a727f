import FerryCore
import Foundation

/// The transfer of a download: shared and individual properties.
struct RequestPlan: Sendable {
    let template: PlanTemplate
    let url: String
    let name: String?

    /// Retries after responses of a busy server (docs/behaviour/session-manager.md#S10).
    private static let statusRetries = 5

    /// Returns the request template of a session's downloads.
    static func template(
        _ configuration: SessionConfiguration, place: SessionPlace, cache: Cache
    ) -> TransferRequest {
        var request = TransferRequest(url: "", folder: cache.downloadFilePath)
        request.session = place.session
        place.caller.apply(to: &request)
        request.file.partialFolder = cache.downloadTmpPath
        request.transport.connections = configuration.connectionsPerTask
        request.timing.resourceTimeout = max(configuration.timeoutIntervalForResource, 1)
        // Only the resource timeout ends a stalled download. Retries after busy responses are limited by number.
        request.timing.giveUpAfter = 0
        request.timing.retryRule = RetryRule(doubtfulRetries: 0)
        request.timing.statusRetries = statusRetries
        request.transport.redirects.allowPrivateRedirects = true
        request.file.onFullDisk = .failAtStart
        // All fields but credentials are sent to redirect targets.
        request.transport.foreignFields = .keep
        let statuses = configuration.acceptableStatusCodes
        request.response.acceptableStatuses = StatusRange(lower: statuses.lowerBound, upper: statuses.upperBound)
        request.response.onMismatch = configuration.checksumMismatchPolicy == .fail ? .fail : .keep
        request.file.onConflict = configuration.fileConflictPolicy.policy
        request.note = place.note("")
        // A single invalid number would make the service refuse every download.
        request.bringNumbersIntoRange(.clamp)
        return request
    }

    /// Returns the fields of some headers, in a fixed order.
    static func fields(_ headers: HTTPHeaders) -> [HeaderField] {
        AcceptedCodings.leftToFerry(
            headers.sorted { $0.key < $1.key }.map { HeaderField(name: $0.key, value: $0.value) })
    }
}

extension FileConflictPolicy {
    /// The policy for the daemon.
    var policy: ConflictPolicy {
        switch self {
        case .unique: .unique
        case .replace: .replace
        case .fail: .fail
        }
    }
}

extension SessionConfiguration {
    /// The session's limits in the daemon.
    var settings: SessionSettings {
        var settings = SessionSettings(
            activeTransfers: maxConcurrentTasksLimit,
            rateLimit: maxBytesPerSecond.map { max($0, SettingRange<Int64>.rateLimit.allowed.lowerBound) } ?? 0,
            hostConnections: maxTasksPerHost)
        settings.network = NetworkPolicy(
            allowsCellular: allowsCellularAccess, allowsExpensive: allowsExpensiveNetworkAccess,
            allowsConstrained: allowsConstrainedNetworkAccess)
        settings.idleTimeout = timeoutIntervalForRequest > 0 ? timeoutIntervalForRequest : nil
        settings.inOrder = true
        settings.bringNumbersIntoRange(.clamp)
        return settings
    }
}

/// A request shared by several downloads, since copying it for each of thousands is expensive.
final class PlanTemplate: Sendable {
    let request: TransferRequest

    init(_ request: TransferRequest) { self.request = request }
}

/// The templates of one call's downloads.
struct PlanTemplates {
    private struct Key: Hashable {
        let headers: [String: String]
        /// Overrides the configured policy, unless nil.
        let policy: ConflictPolicy?
    }

    private var made: [Key: PlanTemplate] = [:]

    /// Returns the template for downloads with these headers and this policy.
    ///
    /// - Parameter plain: Creates the basic request.
    mutating func template(
        headers: [String: String], policy: ConflictPolicy?, _ plain: () -> TransferRequest
    ) -> PlanTemplate {
        let key = Key(headers: headers, policy: policy)
        if let known = made[key] { return known }
        var request = plain()
        request.headers = RequestPlan.fields(headers)
        if let policy { request.file.onConflict = policy }
        let template = PlanTemplate(request)
        made[key] = template
        return template
    }
}
