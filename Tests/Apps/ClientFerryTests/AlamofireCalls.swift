import Ferry
import Foundation
import Testing

/// Alamofire 4 code with only its import changed. The test is that it compiles.
final class OldDownloader {
    private let manager: SessionManager
    private var request: Request?
    private var resumeData: Data?

    init(_ manager: SessionManager) {
        self.manager = manager
        manager.startRequestsImmediately = true
        manager.adapter = TokenHandler()
        manager.retrier = TokenHandler()
        manager.delegate.downloadTaskDidWriteData = { session, downloadTask, bytes, total, expected in
            print(session.configuration.identifier ?? "", downloadTask.taskIdentifier, bytes, total, expected)
        }
        manager.delegate.taskDidReceiveChallenge = { _, _, challenge in
            guard challenge.previousFailureCount == 0 else { return (.rejectProtectionSpace, nil) }
            return (.useCredential, URLCredential(user: "user", password: "secret", persistence: .forSession))
        }
    }

    func start(_ address: String) {
        let destination: DownloadRequest.DownloadFileDestination = { _, response in
            let folder = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
            let file = folder.appendingPathComponent(response.suggestedFilename ?? "file")
            return (file, [.removePreviousFile, .createIntermediateDirectories])
        }
        let download: DownloadRequest =
            if let resumeData {
                manager.download(resumingWith: resumeData, to: destination)
            } else {
                manager.download(address, method: .get, parameters: ["a": 1], headers: ["X-A": "b"], to: destination)
            }
        request = download
        download
            .authenticate(user: "user", password: "secret")
            .validate(statusCode: 200..<300)
            .validate(contentType: ["application/octet-stream"])
            .validate { request, response, temporaryURL, destinationURL in
                response.expectedContentLength == 0 ? .failure(CocoaError(.fileReadCorruptFile)) : .success
            }
            .downloadProgress { progress in print(progress.fractionCompleted) }
            .downloadProgress(queue: DispatchQueue.global(qos: .utility)) { print($0.completedUnitCount) }
            .responseData { response in
                switch response.result {
                case .success(let data): print(data.count, response.destinationURL?.path ?? "")
                case .failure(let error): print(error.localizedDescription, response.resumeData?.count ?? 0)
                }
            }
            .responseJSON { response in
                debugPrint(response)
                if let json = response.result.value { print(json, response.timeline.totalDuration) }
            }
            .responseString { print($0.result.isSuccess, $0.error as Any) }
            .response { response in
                guard let error = response.error as? AFError else { return }
                print(Self.explanation(of: error))
            }
    }

    func pause() {
        request?.suspend()
        request?.resume()
        request?.cancel()
        resumeData = (request as? DownloadRequest)?.resumeData
        print(request?.task?.state == .canceling, request?.request?.url as Any, request?.retryCount ?? 0)
    }

    static func explanation(of error: AFError) -> String {
        switch error {
        case .invalidURL(let url): "invalid URL \(url)"
        case .parameterEncodingFailed(let reason): "parameters \(reason)"
        case .multipartEncodingFailed(let reason): "multipart \(reason)"
        case .responseSerializationFailed(let reason): "serialization \(reason)"
        case .responseValidationFailed(let reason):
            switch reason {
            case .dataFileNil, .dataFileReadFailed: "unreadable"
            case .missingContentType(let types): "no content type of \(types)"
            case .unacceptableContentType(let types, let type): "\(type) and not \(types)"
            case .unacceptableStatusCode(let code): "status \(code)"
            }
        }
    }
}

final class TokenHandler: RequestAdapter, RequestRetrier {
    func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        var urlRequest = urlRequest
        if let header = Request.authorizationHeader(user: "user", password: "secret") {
            urlRequest.setValue(header.value, forHTTPHeaderField: header.key)
        }
        return urlRequest
    }

    func should(
        _ manager: SessionManager, retry request: Request, with error: Error,
        completion: @escaping RequestRetryCompletion
    ) {
        guard let response = request.task?.response as? HTTPURLResponse, response.statusCode == 401 else {
            return completion(false, 0.0)
        }
        completion(true, 1.0)
    }
}

enum OldRouter: URLRequestConvertible {
    case file(String)

    func asURLRequest() throws -> URLRequest {
        switch self {
        case .file(let name):
            let url = try "http://127.0.0.1/files".asURL()
            let request = try URLRequest(url: url.appendingPathComponent(name), method: .get)
            return try URLEncoding.default.encode(request, with: ["name": name])
        }
    }
}

func globalCalls(_ address: String, _ data: Data) {
    download(address, to: DownloadRequest.suggestedDownloadDestination()).response { print($0.destinationURL as Any) }
    download(OldRouter.file("a")).responseData { print($0.result.value?.count ?? 0) }
    Ferry.download(resumingWith: data).response { print($0.error as Any) }
    SessionManager.default.download(OldRouter.file("a"), to: nil).resume()
}

@Suite struct `Code for Alamofire 4` {
    @Test func `encodes, adapts and names what went wrong`() throws {
        #expect(OldRouter.file("a b").urlRequest?.url?.absoluteString == "http://127.0.0.1/files/a%20b?name=a%20b")
        let adapted = try TokenHandler().adapt(OldRouter.file("a").asURLRequest())
        #expect(adapted.value(forHTTPHeaderField: "Authorization") == "Basic dXNlcjpzZWNyZXQ=")
        let error = AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: 404))
        #expect(OldDownloader.explanation(of: error) == "status 404" && error.responseCode == 404)
    }

    @Test func `writes arrays, dictionaries and flags into a query`() throws {
        let url = try "http://127.0.0.1/a".asURL()
        let parameters: Parameters = ["d": ["z": 1, "b": ["x", "y"], "a": true]]
        let brackets = try URLEncoding.default.encode(URLRequest(url: url), with: parameters)
        #expect(brackets.url?.query == "d%5Ba%5D=1&d%5Bb%5D%5B%5D=x&d%5Bb%5D%5B%5D=y&d%5Bz%5D=1")
        let plain = URLEncoding(destination: .httpBody, arrayEncoding: .noBrackets, boolEncoding: .literal)
        let form = try plain.encode(URLRequest(url: url), with: ["b": ["x", "y"], "c": false])
        #expect(form.httpBody.map { String(decoding: $0, as: UTF8.self) } == "b=x&b=y&c=false")
        #expect(form.value(forHTTPHeaderField: "Content-Type")?.hasPrefix("application/x-www-form-urlencoded") == true)
    }

    @Test func `takes and gives results as they are there`() {
        let result: AFResult<Int> = AFResult { 20 }
        #expect(result.map { $0 + 1 }.value == 21 && result.isSuccess && "\(result)" == "SUCCESS")
        let failed = result.flatMap { _ -> Int in throw CocoaError(.fileNoSuchFile) }
        #expect(failed.isFailure && failed.error is CocoaError && failed.value == nil)
    }
}
