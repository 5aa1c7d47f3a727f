@testable import Ferry
import FerryCore
import Foundation
import FoundationNetworking
import Testing

@Suite struct `Errors of the library` {
    private static let md5 = try? FerryCore.Checksum(parsing: "md5:" + String(repeating: "a", count: 32))

    private static func error(_ code: ErrorCode, status: Int? = nil, urlError: Int? = nil) -> ServiceError {
        ServiceError(
            code, "What happened.", details: ErrorDetails(httpStatus: status, urlError: urlError, url: "http://a/"))
    }

    @Test(
        arguments: [
            (error(.notFound, status: 404), .unacceptableStatusCode(code: 404)),
            (error(.serverBusy, status: 503), .unacceptableStatusCode(code: 503)),
            (error(.redirectRefused, status: 304), .unacceptableStatusCode(code: 304)),
            (error(.redirectRefused), .transport(URLError(.redirectToNonExistentLocation))),
            // Errors of responses with a successful status.
            (error(.lengthMismatch, status: 200), .transport(URLError(.badServerResponse))),
            (error(.badResponse, status: 206), .transport(URLError(.cannotParseResponse))),
            (error(.resourceChanged, status: 206), .transport(URLError(.badServerResponse))),
            (error(.tooManyRedirects, status: 302), .transport(URLError(.httpTooManyRedirects))),
            (error(.tlsCertificate, urlError: -1202), .transport(URLError(.serverCertificateUntrusted))),
            (error(.hostNotFound), .transport(URLError(.cannotFindHost))),
            (error(.deadlineExceeded), .resourceTimeout), (error(.destinationExists), .fileConflict(path: "/to")),
            (error(.invalidURL), .invalidURL(url: "http://a/")),
            (error(.unknownTransfer), .fetchDownloadTaskFailed(url: "http://a/")),
            (error(.daemonUnreachable), .daemonUnavailable(message: "What happened.")),
            (error(.journalFailed), .recordStoreFailed(message: "What happened.")),
            (error(.sessionInUse), .sessionInUse(identifier: "")), (error(.canceled), .canceled),
            (error(.invalidRequest), .invalidRequest(message: "What happened.")),
            (error(.requestNotReplaceable), .invalidRequest(message: "What happened.")),
            (error(.internal, status: 500), .unknown), (error(.unrecognized), .unknown),
        ] as [(ServiceError, FerryError)])
    func `come from those of the daemon`(given: ServiceError, expected: FerryError) {
        #expect(FerryError(given, from: "/from", to: "/to") == expected)
        #expect(FerryError(any: given).code == expected.code)
    }

    @Test func `come from every code of the table`() {
        for code in ErrorCode.allCases {
            #expect(FerryError(Self.error(code)).errorDescription?.hasSuffix(".") == true)
        }
    }

    @Test func `tell both codes of a file that has another one`() throws {
        let wanted = try #require(Self.md5)
        var error = Self.error(.digestMismatch)
        #expect(FerryError(error) == .checksumMismatch(expected: "", actual: ""))
        error.details.expected = wanted
        error.details.actual = wanted
        #expect(FerryError(error) == .checksumMismatch(expected: wanted.hex, actual: wanted.hex))
    }

    @Test(arguments: [ErrorCode.destinationUnwritable, .placementFailed, .diskIO, .partialLost])
    func `of the file system name the path and the cause`(code: ErrorCode) {
        guard
            case .cacheError(.cannotMoveItem("/from", "/to", let cause)) =
                FerryError(Self.error(code), from: "/from", to: "/to")
        else {
            Issue.record("\(code)")
            return
        }
        #expect(cause.localizedDescription == "What happened.")
    }

    /// A regression: the numbers were positions of the cases, which change with a new case.
    @Test(
        arguments: [
            (.invalidURL(url: "a"), 1), (.duplicateURL(url: "http://a/"), 2), (.indexOutOfRange, 3),
            (.fetchDownloadTaskFailed(url: "http://a/"), 4), (.headersMatchFailed, 5), (.fileNamesMatchFailed, 6),
            (.unacceptableStatusCode(code: 404), 7), (.transport(URLError(.timedOut)), 8), (.resourceTimeout, 9),
            (.checksumMismatch(expected: "a", actual: "b"), 10),
            (.insufficientDiskSpace(required: 2, available: 1), 11),
            (.fileConflict(path: "/a"), 12), (.invalidDestination(path: "a"), 13),
            (.cacheError(reason: .cannotRemoveItem(path: "/a", error: CocoaError(.fileNoSuchFile))), 14),
            (.recordStoreFailed(message: "a"), 15), (.daemonUnavailable(message: "a"), 16),
            (.sessionInUse(identifier: "a"), 17), (.canceled, 18), (.removed, 19), (.unknown, 20),
            (.invalidRequest(message: "a"), 21),
        ] as [(FerryError, Int)])
    func `have a domain, a number, a sentence and their cause`(error: FerryError, number: Int) {
        let shown = error as NSError
        #expect(shown.domain == "Ferry.FerryError" && shown.code == number)
        #expect(shown.localizedDescription == error.description)
        #expect(shown.userInfo["code"] as? String == error.code)
        let cause = shown.userInfo[NSUnderlyingErrorKey] as? NSError
        switch error {
        case .transport: #expect(cause?.domain == NSURLErrorDomain && cause?.code == NSURLErrorTimedOut)
        case .cacheError: #expect(cause?.domain == NSCocoaErrorDomain)
        default: #expect(cause == nil)
        }
    }

    @Test func `of other origins are kept or unknown`() {
        #expect(FerryError(any: FerryError.removed) == .removed)
        #expect(FerryError(any: URLError(.timedOut)) == .transport(URLError(.timedOut)))
        #expect(FerryError(any: CocoaError(.fileNoSuchFile)) == .unknown)
    }

    @Test func `are the same only with the same details`() {
        let errors: [FerryError] = [
            .invalidURL(url: "a"), .invalidURL(url: "b"), .duplicateURL(url: "a"), .indexOutOfRange,
            .unacceptableStatusCode(code: 403), .unacceptableStatusCode(code: 404), .transport(URLError(.timedOut)),
            .transport(URLError(.badURL)), .checksumMismatch(expected: "a", actual: "b"),
            .checksumMismatch(expected: "a", actual: "c"), .insufficientDiskSpace(required: 2, available: 1),
            .insufficientDiskSpace(required: 3, available: 1), .cacheError(reason: .fileDoesnotExist(path: "/a")),
            .cacheError(reason: .readDataFailed(path: "/a")), .canceled, .removed, .unknown, .resourceTimeout,
            .invalidRequest(message: "a"), .invalidRequest(message: "b"),
        ]
        for (index, error) in errors.enumerated() {
            for (other, another) in errors.enumerated() { #expect((error == another) == (index == other)) }
        }
    }

    @Test(
        arguments: [
            .cannotCreateDirectory(path: "/a", error: CocoaError(.fileWriteNoPermission)),
            .cannotRemoveItem(path: "/a", error: CocoaError(.fileWriteNoPermission)),
            .cannotCopyItem(atPath: "/a", toPath: "/b", error: URLError(.cannotCreateFile)),
            .cannotMoveItem(atPath: "/a", toPath: "/b", error: URLError(.cannotCreateFile)),
            .cannotMoveItem(atPath: "", toPath: "/a", error: URLError(.cannotCreateFile)),
            .fileDoesnotExist(path: "/a"), .readDataFailed(path: "/a"),
        ] as [FerryError.CacheErrorReason])
    func `of the cache are sentences with their path`(reason: FerryError.CacheErrorReason) {
        let text = FerryError.cacheError(reason: reason).localizedDescription
        #expect(text.first?.isUppercase == true && text.hasSuffix(".") && text.contains("/a"))
        #expect(!text.contains("  "))
    }

    @Test func `show no password of a URL`() {
        let error = FerryError.fetchDownloadTaskFailed(url: "http://user:hunter2@example.org/a")
        #expect(!"\(error)".contains("hunter2") && !error.localizedDescription.contains("hunter2"))
        #expect("\(error)".contains("example.org/a") && error.localizedDescription == error.errorDescription)
    }
}
