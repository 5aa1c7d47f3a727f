import BackgroundURLSession
import Foundation
import FoundationNetworking

/// Uses every type and constant that exists in both modules.
final class BothModulesDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
    var answered = 0

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: Error?) {}
    func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        answered += 1
        if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust {
            completionHandler(.useCredential, .serverTrustAccepted)
        } else if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodClientCertificate {
            completionHandler(.rejectProtectionSpace, nil)
        } else {
            completionHandler(.performDefaultHandling, nil)
        }
    }
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping (URLRequest?) -> Void
    ) { completionHandler(request) }
    func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
        for transaction: URLSessionTaskTransactionMetrics in metrics.transactionMetrics {
            print(transaction.request.url as Any)
        }
    }
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) { completionHandler(.allow) }
    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
    }
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        if let error = error as? URLError {
            print(error.backgroundTaskCancelledReason as Any, error.networkUnavailableReason as Any)
            print(error.userInfo[NSURLErrorNetworkUnavailableReasonKey] as Any)
        }
    }
}

enum BothModulesUse {
    static func session(_ delegate: BothModulesDelegate) -> URLSession {
        let configuration: URLSessionConfiguration = .ephemeral
        configuration.httpCookieAcceptPolicy = .never
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv13
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    static func upload(_ session: URLSession, _ url: URL) -> URLSessionUploadTask {
        var request = URLRequest(url: url)
        request.httpMethod = "PUT"
        request.allowsExpensiveNetworkAccess = false
        return session.uploadTask(with: request, fromFile: URL(fileURLWithPath: "/dev/null"))
    }
}
