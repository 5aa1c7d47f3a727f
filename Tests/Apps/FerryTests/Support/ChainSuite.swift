import Ferry
import FerryTesting
import Foundation
import Testing

/// Tests of the download chain.
protocol ChainSuite {}

extension ChainSuite {
    /// Returns a manager with a background session in the fixture's daemon.
    func manager(
        _ fixture: FerryFixture, identifier: String? = nil, _ change: (URLSessionConfiguration) -> Void = { _ in }
    ) -> SessionManager {
        let configuration = URLSessionConfiguration.background(withIdentifier: identifier ?? fixture.identifier)
        change(configuration)
        let manager = fixture.make { SessionManager(configuration: configuration) }
        manager.logger.option = .none
        return manager
    }

    func destination(
        _ path: String, _ options: DownloadRequest.DownloadOptions = [.removePreviousFile]
    ) -> DownloadRequest.DownloadFileDestination {
        { _, _ in (destinationURL: URL(fileURLWithPath: path), options: options) }
    }

    /// Waits for a request's response and returns it.
    func response(_ request: DownloadRequest) async throws -> DefaultDownloadResponse {
        do {
            return try await answer { request.response(completionHandler: $0) }
        } catch let error as TestingError {
            let task = request.downloadTask
            throw TestingError("\(task.url) is \(task.status), \(task.waitingReason.map { "\($0)" } ?? "-"): \(error)")
        }
    }
}
