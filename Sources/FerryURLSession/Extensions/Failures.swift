import FerryCore
public import Foundation

/// When a task of a background session is tried again, in place of the usual way.
public struct RetryPolicy: Sendable, Codable, Hashable {
    /// Seconds before the first retry.
    public var initialDelay: Double
    /// What each delay is multiplied by for the next.
    public var multiplier: Double
    /// Seconds between two tries at most.
    public var maximumDelay: Double
    /// Share of a delay by which it is made shorter or longer at random, 0 to 1.
    public var jitter: Double
    /// Tries without a new byte before the failure is final; nil is no limit.
    public var maximumAttemptsWithoutProgress: Int?
    /// Statuses that are tried again instead of delivered; `Retry-After` is honoured.
    public var statusCodes: Set<Int>
    /// Statuses that mean that the URL has expired: the task waits for `updateRequest(_:)`.
    public var expiredStatusCodes: Set<Int>

    /// The usual way: 1 s doubling to 300 s, a fifth more or less, without end.
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

    /// The same for the service.
    var rule: RetryRule {
        var rule = RetryRule(
            initialDelay: initialDelay, multiplier: multiplier, maximumDelay: maximumDelay, jitter: jitter,
            maximumAttemptsWithoutProgress: maximumAttemptsWithoutProgress, statusCodes: statusCodes,
            expiredStatusCodes: expiredStatusCodes)
        // The service would refuse the whole task for one number that it cannot use.
        rule.bringNumbersIntoRange(.clamp)
        return rule
    }
}

/// An error that no code of Foundation's `URLError` describes; its codes come from Ferry's error table.
public struct TransferError: CustomNSError, LocalizedError, Hashable, Sendable {
    /// `FerryErrorDomain`.
    public static let errorDomain = "FerryErrorDomain"

    private let error: ServiceError

    init(_ error: ServiceError) { self.error = error }

    /// The stable word for what went wrong, such as `digest_mismatch`.
    public var code: String { error.word }
    /// What happened, to what, and what to try, for people.
    public var message: String { error.message }

    /// The exit status that `ferry` has for this error.
    public var errorCode: Int { Int(error.code.row.exitStatus) }
    public var errorDescription: String? { error.message }
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: error.message, "code": error.word] }
}

extension TransferError: CustomStringConvertible {
    public var description: String { error.description }
}
