import BackgroundURLSession

/// Uses members of every type from FoundationNetworking.
enum OneModule {
    static func use(_ task: URLSessionDownloadTask, space: URLProtectionSpace) -> [String] {
        var request = URLRequest(url: URL(fileURLWithPath: "/"), cachePolicy: .returnCacheDataDontLoad)
        request.httpMethod = "HEAD"
        let old: NSURLRequest = NSMutableURLRequest(url: URL(fileURLWithPath: "/"))
        let cookie = HTTPCookie(properties: [.name: "a", .value: "b", .domain: "c", .path: "/"])
        if let cookie { URLSessionConfiguration.ephemeral.httpCookieStorage?.setCookie(cookie) }
        let credential = URLCredential(user: "u", password: "p", persistence: .forSession)
        URLSessionConfiguration.ephemeral.urlCredentialStorage?.setDefaultCredential(credential, for: space)
        URLSessionConfiguration.default.urlCache = URLCache(memoryCapacity: 0, diskCapacity: 0, diskPath: nil)
        task.destination = .init(URL(fileURLWithPath: "/tmp/a"), conflictPolicy: .unique)
        task.expectedDigest = .init(.sha256, hex: "00")
        task.mirrors = []
        task.maximumConnections = 4
        task.bytesPerSecondLimit = 1 << 20
        task.metadata = ["a": "b"]
        task.retryPolicy = RetryPolicy(statusCodes: [503], expiredStatusCodes: [403])
        let disposition: URLSession.AuthChallengeDisposition = .rejectProtectionSpace
        return [
            request.httpMethod ?? "", old.httpMethod ?? "", cookie?.name ?? "", credential.user ?? "",
            NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodServerTrust, "\(disposition)",
            task.response?.suggestedFilename ?? "", "\(space.certificateChain?.count ?? 0)",
        ]
    }

    static func read(_ bytes: URLSession.AsyncBytes, _ space: URLProtectionSpace) async throws -> [String] {
        let properties: [HTTPCookiePropertyKey: Any] = [.name: space.protocol == NSURLProtectionSpaceHTTPS ? "a" : "b"]
        var lines = [HTTPCookie(properties: properties)?.name ?? ""]
        for try await line in bytes.lines { lines.append(line) }
        return lines
    }

    static func explain(_ error: any Error) -> String {
        switch error {
        case let error as URLError where error.code == .cancelled:
            "\(error.downloadTaskResumeData?.count ?? 0) \(error.backgroundTaskCancelledReason as Any)"
        case let error as TransferError where error.code == "digest_mismatch": error.message
        default: (error as NSError).domain
        }
    }
}
