import FerryCore
public import Foundation

/// The retry policy of a background task. Replaces the default policy.
public struct RetryPolicy: Sendable, Codable, Hashable {
    /// Delay before the first retry, in seconds.
    public var initialDelay: Double
    /// Backoff multiplier.
    public var multiplier: Double
    /// Maximum delay between two attempts, in seconds.
    public var maximumDelay: Double
    /// Random variation of a delay, as a fraction from 0 to 1.
    public var jitter: Double
    /// Number of attempts without a new byte before the failure is final; nil is no limit.
    public var maximumAttemptsWithoutProgress: Int?
    /// Status codes that are retried instead of delivered. `Retry-After` is honored.
    public var statusCodes: Set<Int>
    /// Status codes that mean that the URL has expired. The task then waits for `updateRequest(_:)`.
    public var expiredStatusCodes: Set<Int>

    /// Creates a policy. The defaults are 1 s, doubling up to 300 s, with a variation of a fifth and no limit of
    /// attempts.
    public init(
        initialDelay: Double = 1, multiplier: Double = 2, maximumDelay: Double = 300, jitter: Double = 0.2,
        maximumAttemptsWithoutProgress: Int? = nil, statusCodes: Set<Int> = [], expiredStatusCodes: Set<Int> = []
    ) {
        self.initialDelay = initialDelay
        self.multiplier = multiplier
        self.maximumDelay = maximumDelay
        self.jitter = jitter
        self.maximumAttemptsWithoutProgress = maximumAttemptsWithoutProgress
        self.statusCodes = statusCodes
        self.expiredStatusCodes = expiredStatusCodes
    }

    /// The policy as the service's retry rule.
    var rule: RetryRule {
        var rule = RetryRule(
            initialDelay: initialDelay, multiplier: multiplier, maximumDelay: maximumDelay, jitter: jitter,
            maximumAttemptsWithoutProgress: maximumAttemptsWithoutProgress, statusCodes: statusCodes,
            expiredStatusCodes: expiredStatusCodes)
        // The service would reject the whole task for one number out of range.
        rule.bringNumbersIntoRange(.clamp)
        return rule
    }
}

/// An error without a matching `URLError` code. Its codes come from Ferry's error table.
public struct TransferError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// `FerryErrorDomain`.
    public static let errorDomain = "FerryErrorDomain"

    private let error: ServiceError

    init(_ error: ServiceError) { self.error = error }

    /// The stable error code, such as `digest_mismatch`.
    public var code: String { error.word }
    /// A message for people: the problem, its subject, and a remedy.
    public var message: String { error.message }

    /// The exit status of `ferry` for this error.
    public var errorCode: Int { Int(error.code.row.exitStatus) }
    public var errorDescription: String? { error.message }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: error.message, "code": error.word] }
}

extension TransferError: CustomStringConvertible {
    public var description: String { error.description }
}
