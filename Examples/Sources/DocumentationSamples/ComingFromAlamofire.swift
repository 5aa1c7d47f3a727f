// Samples of the article for Alamofire users.

import Ferry
import Foundation

func chain(_ url: URL, into folder: URL) {
    let destination: DownloadRequest.DownloadFileDestination = { _, response in
        let name = response.suggestedFilename ?? "download"
        return (folder.appendingPathComponent(name), [.removePreviousFile, .createIntermediateDirectories])
    }
    SessionManager.default.download(url, to: destination)
        .validate(statusCode: [200])
        .downloadProgress { progress in print(progress.fractionCompleted) }
        .response { response in print(response.destinationURL?.path ?? "", response.error ?? "no error") }
}

func localManager(_ url: URL) {
    let manager = SessionManager(configuration: .background(withIdentifier: "com.example.reports"))
    manager.download(url, to: DownloadRequest.suggestedDownloadDestination())
        .response { response in print(response.destinationURL?.path ?? "no file") }
}

func takeUp(_ manager: SessionManager) {
    for request in manager.restoredRequests {
        print(request.request?.url?.absoluteString ?? "", request.progress.fractionCompleted)
        request.response { response in print(response.temporaryURL?.path ?? "no file") }
    }
}

func trust() -> SessionManager {
    let policies = ServerTrustPolicyManager(
        policies: ["files.example.org": .performDefaultEvaluation(validateHost: false)])
    let manager = SessionManager(
        configuration: .background(withIdentifier: "com.example.trusting"), serverTrustPolicyManager: policies)
    return manager
}

func goOnLater(_ manager: SessionManager, _ url: URL, to destination: @escaping DownloadRequest.DownloadFileDestination)
{
    let request = manager.download(url, to: destination)
    request.cancel()
    request.response { response in
        guard let data = response.resumeData else { return }
        manager.download(resumingWith: data, to: destination)
    }
}

final class Tokens: RequestAdapter, RequestRetrier {
    func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
        var request = urlRequest
        request.setValue("Bearer " + token(), forHTTPHeaderField: "Authorization")
        return request
    }

    func should(
        _ manager: SessionManager, retry request: Request, with error: Error,
        completion: @escaping RequestRetryCompletion
    ) {
        let isRefused = request.response?.statusCode == 401 && request.retryCount == 0
        if isRefused { renew() }
        completion(isRefused, 0)
    }
}

extension Tokens {
    func token() -> String { "" }
    func renew() {}
}

struct Release: Decodable { let version: String }

func latest(_ url: URL) async throws -> Release {
    let (data, response) = try await URLSession.shared.data(from: url)
    guard let status = (response as? HTTPURLResponse)?.statusCode, 200..<300 ~= status else {
        throw URLError(.badServerResponse)
    }
    return try JSONDecoder().decode(Release.self, from: data)
}
