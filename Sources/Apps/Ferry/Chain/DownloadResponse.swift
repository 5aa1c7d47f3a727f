public import BackgroundURLSession
public import Foundation

/// The result of a chain download.
public struct DefaultDownloadResponse: Sendable {
    public let request: URLRequest?
    public let response: HTTPURLResponse?
    /// The file's temporary URL. Without a destination the file exists until the last handler returns.
    public let temporaryURL: URL?
    /// The file's destination, or nil if it was not moved.
    public let destinationURL: URL?
    /// Resume data for `download(resumingWith:to:)` after a failure or `cancel()`. Nil if the server does not support
    /// resuming.
    public var resumeData: Data?
    public let error: (any Error)?
    public var timeline = Timeline()
    /// Metrics of the requests.
    public var metrics: URLSessionTaskMetrics?

    /// The file's current URL.
    var fileURL: URL? { destinationURL ?? temporaryURL }
}

/// The result of a chain download, with the value serialized from its file.
public struct DownloadResponse<Value> {
    public let request: URLRequest?
    public let response: HTTPURLResponse?
    public let temporaryURL: URL?
    public let destinationURL: URL?
    public let resumeData: Data?
    public let result: AFResult<Value>
    public let timeline: Timeline
    public let metrics: URLSessionTaskMetrics?

    public var value: Value? { result.value }
    public var error: (any Error)? { result.error }

    init(_ response: DefaultDownloadResponse, _ result: AFResult<Value>, serialized: TimeInterval) {
        var timeline = response.timeline
        timeline.serializationCompletedTime = max(serialized, timeline.requestCompletedTime)
        self.init(
            response.request, response.response, response.temporaryURL, response.destinationURL, response.resumeData,
            result, timeline, response.metrics)
    }

    private init(
        _ request: URLRequest?, _ response: HTTPURLResponse?, _ temporaryURL: URL?, _ destinationURL: URL?,
        _ resumeData: Data?, _ result: AFResult<Value>, _ timeline: Timeline, _ metrics: URLSessionTaskMetrics?
    ) {
        self.request = request
        self.response = response
        self.temporaryURL = temporaryURL
        self.destinationURL = destinationURL
        self.resumeData = resumeData
        self.result = result
        self.timeline = timeline
        self.metrics = metrics
    }

    private func with<New>(_ result: AFResult<New>) -> DownloadResponse<New> {
        .init(request, response, temporaryURL, destinationURL, resumeData, result, timeline, metrics)
    }

    public func map<New>(_ transform: (Value) -> New) -> DownloadResponse<New> { with(result.map(transform)) }

    /// Transforms a success with a closure. An error that it throws becomes the failure.
    public func flatMap<New>(_ transform: (Value) throws -> New) -> DownloadResponse<New> {
        with(result.flatMap(transform))
    }

    public func mapError<New: Error>(_ transform: (any Error) -> New) -> DownloadResponse {
        with(result.mapError(transform))
    }

    /// Transforms the error of a failure with a throwing closure.
    public func flatMapError<New: Error>(_ transform: (any Error) throws -> New) -> DownloadResponse {
        with(result.flatMapError(transform))
    }
}

extension DownloadResponse: Sendable where Value: Sendable {}

extension DownloadResponse: CustomStringConvertible, CustomDebugStringConvertible {
    public var description: String { result.debugDescription }

    public var debugDescription: String {
        """
        [Request]: \(request.map { "\($0.httpMethod ?? "GET") \($0)" } ?? "none")
        [Response]: \(response.map { "\($0.statusCode)" } ?? "none")
        [TemporaryURL]: \(temporaryURL?.path ?? "none")
        [DestinationURL]: \(destinationURL?.path ?? "none")
        [ResumeData]: \(resumeData.map { "\($0)" } ?? "none")
        [Result]: \(result.debugDescription)
        """
    }
}

/// Timestamps of a request's steps, in seconds since the beginning of 2001, and their durations.
public struct Timeline: Sendable {
    public var requestStartTime: TimeInterval = 0
    public var initialResponseTime: TimeInterval = 0
    public var requestCompletedTime: TimeInterval = 0
    public var serializationCompletedTime: TimeInterval = 0

    public init(
        requestStartTime: TimeInterval = 0, initialResponseTime: TimeInterval = 0,
        requestCompletedTime: TimeInterval = 0, serializationCompletedTime: TimeInterval = 0
    ) {
        self.requestStartTime = requestStartTime
        self.initialResponseTime = initialResponseTime
        self.requestCompletedTime = requestCompletedTime
        self.serializationCompletedTime = serializationCompletedTime
    }

    /// Seconds from the start to the first response.
    public var latency: TimeInterval { initialResponseTime - requestStartTime }
    /// Seconds from the start to the end of the request.
    public var requestDuration: TimeInterval { requestCompletedTime - requestStartTime }
    /// Seconds from the end of the request to the value.
    public var serializationDuration: TimeInterval { serializationCompletedTime - requestCompletedTime }
    /// Seconds from the start to the value.
    public var totalDuration: TimeInterval { serializationCompletedTime - requestStartTime }
}
