// Ferry: FerryCore
// Sentences about responses.

extension ResponseHead {
    /// The one target that `Location` names.
    var location: String? {
        let values = Set(values("Location"))
        return values.count == 1 ? values.first.flatMap { $0.isEmpty ? nil : $0 } : nil
    }

    /// The URL without userinfo and query values, safe to show.
    var shownURL: String { (try? HTTPURL(parsing: url))?.redacted ?? origin.description }

    func error(_ code: ErrorCode, _ message: String, as errorClass: ErrorClass? = nil) -> TransferError {
        TransferError(code, message, details: ErrorDetails(httpStatus: status, url: shownURL), as: errorClass)
    }

    /// The error of a status, with advice if there is any.
    func statusError(_ code: ErrorCode, _ advice: String? = nil, as errorClass: ErrorClass? = nil) -> TransferError {
        let fact = "The server answered \(StatusPhrase.describe(status)) for \(shownURL)"
        return error(code, advice.map { "\(fact); \($0)." } ?? "\(fact).", as: errorClass)
    }
}
