// Ferry: FerryCore
// The stable words for what can go wrong.

/// What went wrong, as a word that programs may rely on; its row says what it means.
package enum ErrorCode: String, CaseIterable, Sendable {
    case offline
    case dnsFailed = "dns_failed"
    case hostNotFound = "host_not_found"
    case connectFailed = "connect_failed"
    case connectionLost = "connection_lost"
    case timedOut = "timed_out"
    case tooSlow = "too_slow"
    case proxyFailed = "proxy_failed"
    case proxyAuthRequired = "proxy_auth_required"
    case tlsFailed = "tls_failed"
    case tlsCertificate = "tls_certificate"
    case serverBusy = "server_busy"
    case notFound = "not_found"
    case httpStatus = "http_status"
    case authRequired = "auth_required"
    case urlExpired = "url_expired"
    case badResponse = "bad_response"
    case rangeMismatch = "range_mismatch"
    case resourceChanged = "resource_changed"
    case budgetExceeded = "budget_exceeded"
    case tooManyRedirects = "too_many_redirects"
    case redirectRefused = "redirect_refused"
    case tooLarge = "too_large"
    case lengthMismatch = "length_mismatch"
    case digestMismatch = "digest_mismatch"
    case diskFull = "disk_full"
    case diskIO = "disk_io"
    case fileTooLarge = "file_too_large"
    case partialLost = "partial_lost"
    case destinationUnwritable = "destination_unwritable"
    case destinationExists = "destination_exists"
    case placementFailed = "placement_failed"
    case deadlineExceeded = "deadline_exceeded"
    case canceled
    case invalidURL = "invalid_url"
    case unsupportedScheme = "unsupported_scheme"
    case invalidRequest = "invalid_request"
    case requestNotReplaceable = "request_not_replaceable"
    case sessionInUse = "session_in_use"
    case unknownTransfer = "unknown_transfer"
    case daemonUnreachable = "daemon_unreachable"
    case journalFailed = "journal_failed"
    case `internal`
    /// A word of a newer peer. The error keeps the word itself.
    case unrecognized
}
