@testable import FerryURLSession
import FerryCore
import FerryTesting
import Foundation
import Testing

@Suite struct `Errors of tasks` {
    private static let url = URL(string: "https://example.com/a")

    private static let codes: [(ErrorCode, Int?)] = [
        (.offline, -1009), (.dnsFailed, -1006), (.hostNotFound, -1003), (.connectFailed, -1004),
        (.connectionLost, -1005), (.timedOut, -1001), (.tooSlow, -1001), (.proxyFailed, -1004),
        (.proxyAuthRequired, -1013), (.tlsFailed, -1200), (.tlsCertificate, -1202), (.serverBusy, -1011),
        (.notFound, -1011), (.httpStatus, -1011), (.authRequired, -1013), (.urlExpired, -1011), (.badResponse, -1017),
        (.rangeMismatch, -1011), (.resourceChanged, -1011), (.budgetExceeded, -1005), (.tooManyRedirects, -1007),
        (.redirectRefused, -1010), (.tooLarge, -1103), (.lengthMismatch, -1011), (.fileChanged, -1021),
        (.uploadConflict, -1017), (.digestMismatch, nil),
        (.diskFull, -3003), (.diskIO, -3003),
        (.fileTooLarge, -3003), (.partialLost, -3003), (.destinationUnwritable, -3000), (.destinationExists, nil),
        (.placementFailed, -3005), (.deadlineExceeded, -1001), (.canceled, -999), (.invalidURL, -1000),
        (.unsupportedScheme, -1002), (.invalidRequest, -1000), (.requestNotReplaceable, nil), (.sessionInUse, -996),
        (.unknownTransfer, -1), (.daemonUnreachable, -997), (.journalFailed, -1), (.internal, -1), (.unrecognized, -1),
        (.queueUnreachable, -1), (.queueUnsuitable, -1), (.workerInUse, -1), (.workerLost, -1),
    ]

    @Test func `the table has every code`() {
        #expect(Self.codes.map(\.0.rawValue).sorted() == ErrorCode.allCases.map(\.rawValue).sorted())
    }

    @Test(arguments: codes)
    func `44 every code is a URLError with the failing URL, or an error of Ferry's own`(
        code: ErrorCode, number: Int?
    ) throws {
        let error = URLErrorMapping.error(ServiceError(code, "It failed."), url: Self.url)
        guard let number else {
            let own = try #require(error as? FerryURLSession.TransferError)
            #expect(own.code == code.rawValue)
            #expect(own.message == "It failed.")
            #expect((own as NSError).domain == "FerryErrorDomain")
            #expect((own as NSError).localizedDescription == "It failed.")
            return
        }
        let urlError = try #require(error as? URLError)
        #expect(urlError.code.rawValue == number)
        #expect((error as NSError).domain == NSURLErrorDomain)
        #expect((error as NSError).code == number)
        #expect((error as NSError).userInfo[NSURLErrorFailingURLErrorKey] as? URL == Self.url)
        #expect(urlError.failingURL == Self.url)
        #expect((error as NSError).userInfo["NSErrorFailingURLStringKey"] as? String == Self.url?.absoluteString)
        #expect(urlError.localizedDescription == "It failed.")
        let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(underlying?.userInfo["code"] as? String == (code == .canceled ? nil : code.rawValue))
    }

    /// A regression: errors without a transfer had no description, and some had no URL.
    @Test(arguments: [URLError.Code.cancelled, .unsupportedURL, .cannotWriteToFile, .fileDoesNotExist, .unknown])
    func `44 an error without a transfer is completed, and keeps its message`(code: URLError.Code) {
        let bare = URLErrorMapping.completed(URLError(code), url: Self.url) as NSError
        #expect(bare.domain == NSURLErrorDomain && bare.code == code.rawValue)
        #expect(bare.userInfo[NSURLErrorFailingURLErrorKey] as? URL == Self.url)
        #expect(bare.userInfo["NSErrorFailingURLStringKey"] as? String == Self.url?.absoluteString)
        #expect((bare.userInfo[NSLocalizedDescriptionKey] as? String)?.isEmpty == false)
        let given = URLError(code, userInfo: [NSLocalizedDescriptionKey: "It failed.", "more": 1])
        let kept = URLErrorMapping.completed(given, url: nil) as NSError
        #expect(kept.localizedDescription == "It failed." && kept.userInfo["more"] as? Int == 1)
        #expect(kept.userInfo[NSURLErrorFailingURLErrorKey] == nil)
    }

    @Test func `44 a URL that no session carries is named in the error of its task`() async throws {
        let url = try #require(URL(string: "ftp://example.com/a"))
        let session = FerryURLSession.URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let task = session.dataTask(with: url)
        task.resume()
        try await eventually("the task ends") { task.state == .completed && task.error != nil }
        let error = try #require(task.error as? URLError)
        #expect(error.code == .unsupportedURL && error.failingURL == url)
        #expect(error.userInfo["NSErrorFailingURLStringKey"] as? String == url.absoluteString)
        #expect(error.localizedDescription == "unsupported URL")
    }

    @Test(arguments: [
        -995, -996, -997, -1008, -1021, -1022, -1100, -1101, -1102, -1103, -1200, -1201, -1202, -1203, -1204, -1205,
        -1206,
    ])
    func `26 the cause's own number comes before the row's`(number: Int) {
        var details = ErrorDetails()
        details.urlError = number
        #expect(URLErrorMapping.code(ServiceError(.tlsCertificate, "", details: details)).rawValue == number)
    }

    @Test func `a number that Foundation does not know is the unknown error`() {
        var details = ErrorDetails()
        details.urlError = -123_456
        #expect(URLErrorMapping.code(ServiceError(.internal, "", details: details)) == .unknown)
    }

    @Test func `60 a force-quit says so`() throws {
        var details = ErrorDetails()
        details.cancelReason = 0
        let error = URLErrorMapping.error(
            ServiceError(.canceled, "Stopped.", details: details), url: Self.url, resumeData: Data([1]))
        let urlError = try #require(error as? URLError)
        #expect(urlError.code == .cancelled)
        #expect(urlError.backgroundTaskCancelledReason == .userForceQuitApplication)
        #expect(urlError.downloadTaskResumeData == Data([1]))
        #expect((error as NSError).userInfo["NSURLErrorBackgroundTaskCancelledReasonKey"] as? Int == 0)
        #expect((error as NSError).userInfo["NSURLSessionDownloadTaskResumeData"] as? Data == Data([1]))
    }

    @Test func `43 an ordinary cancellation has neither reason nor data`() throws {
        let error = URLErrorMapping.error(ServiceError(.canceled, "Stopped."), url: Self.url)
        let urlError = try #require(error as? URLError)
        #expect(urlError.backgroundTaskCancelledReason == nil)
        #expect(urlError.downloadTaskResumeData == nil)
        #expect(urlError.uploadTaskResumeData == nil)
        #expect(urlError.networkUnavailableReason == nil)
    }

    @Test(
        arguments: [
            (.cellular, .cellular), (.expensive, .expensive), (.constrained, .constrained), (.network, nil),
            (.power, nil),
        ] as [(WaitReason, URLError.NetworkUnavailableReason?)])
    func `71 a network that the task may not use is named`(
        reason: WaitReason, expected: URLError.NetworkUnavailableReason?
    ) throws {
        var details = ErrorDetails()
        details.network = reason
        let error = URLErrorMapping.error(ServiceError(.offline, "", details: details), url: Self.url)
        #expect((error as? URLError)?.networkUnavailableReason == expected)
    }

    @Test func `the system's number is the underlying error`() throws {
        let error = URLErrorMapping.error(
            ServiceError(.diskFull, "", details: ErrorDetails(errno: ENOSPC)), url: nil)
        let underlying = try #require((error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(underlying.domain == NSPOSIXErrorDomain)
        #expect(underlying.code == Int(ENOSPC))
        #expect((error as NSError).userInfo[NSURLErrorFailingURLErrorKey] == nil)
    }
}
