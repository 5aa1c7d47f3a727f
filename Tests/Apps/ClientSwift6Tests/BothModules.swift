import BackgroundURLSession
import Foundation
import FoundationNetworking

/// Client code that also imports FoundationNetworking, with member import visibility.
enum BothModules {
    static func session(_ delegate: any URLSessionTaskDelegate) -> URLSession {
        let configuration = URLSessionConfiguration.default
        configuration.timeoutIntervalForRequest = 5
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    static func fetch(_ session: URLSession, _ url: URL) async throws -> Data {
        var request = URLRequest(url: url)
        request.setValue("text/plain", forHTTPHeaderField: "Accept")
        request.allowsConstrainedNetworkAccess = false
        let (data, response) = try await session.data(for: request)
        print((response as? HTTPURLResponse)?.statusCode as Any)
        return data
    }
}
