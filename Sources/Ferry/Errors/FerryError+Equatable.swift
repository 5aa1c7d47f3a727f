// Ferry: Ferry
// Which errors are the same.

import Foundation

extension FerryError: Equatable {
    /// Whether two errors say the same; of a cause that comes from elsewhere, its code or its text is what it says.
    public static func == (left: FerryError, right: FerryError) -> Bool {
        switch (left, right) {
        case (.invalidURL(let one), .invalidURL(let other)), (.duplicateURL(let one), .duplicateURL(let other)),
            (.fetchDownloadTaskFailed(let one), .fetchDownloadTaskFailed(let other)),
            (.fileConflict(let one), .fileConflict(let other)),
            (.invalidDestination(let one), .invalidDestination(let other)),
            (.recordStoreFailed(let one), .recordStoreFailed(let other)),
            (.daemonUnavailable(let one), .daemonUnavailable(let other)),
            (.sessionInUse(let one), .sessionInUse(let other)):
            one == other
        case (.unacceptableStatusCode(let one), .unacceptableStatusCode(let other)): one == other
        case (.transport(let one), .transport(let other)): one.code == other.code
        case (.checksumMismatch(let expected, let actual), .checksumMismatch(let otherExpected, let otherActual)):
            expected == otherExpected && actual == otherActual
        case (.insufficientDiskSpace(let required, let free), .insufficientDiskSpace(let otherRequired, let otherFree)):
            required == otherRequired && free == otherFree
        case (.cacheError(let one), .cacheError(let other)): one.sentence == other.sentence
        // The rest has nothing with it.
        default: left.code == right.code && !left.hasDetails
        }
    }

    private var hasDetails: Bool {
        switch self {
        case .indexOutOfRange, .headersMatchFailed, .fileNamesMatchFailed, .resourceTimeout, .canceled, .removed,
            .unknown:
            false
        default: true
        }
    }
}
