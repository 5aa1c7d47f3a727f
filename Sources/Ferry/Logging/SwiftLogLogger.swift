// Ferry: Ferry
// A logger that writes to swift-log.

public import Logging

/// Writes the log of a manager to swift-log: changes as `debug`, refused calls and errors as `error`.
public struct SwiftLogLogger: Logable, Sendable {
    public let identifier: String
    public var option: LogOption
    private let logger: Logging.Logger

    /// - Parameter logger: without one, a logger whose label is `ferry.manager`.
    public init(
        identifier: String, logger: Logging.Logger = Logging.Logger(label: "ferry.manager"),
        option: LogOption = .default
    ) {
        self.identifier = identifier
        self.logger = logger
        self.option = option
    }

    public func log(_ type: LogType) {
        guard option != .none else { return }
        switch type {
        case .sessionManager(let message, _):
            logger.debug("\(LogText.redacted(message))", metadata: ["manager": "\(identifier)"])
        case .downloadTask(let message, let task):
            logger.debug(
                "\(LogText.redacted(message))",
                metadata: ["manager": "\(identifier)", "url": "\(LogText.url(task.url))"])
        case .error(let message, let error):
            logger.error(
                "\(LogText.redacted(message))",
                metadata: ["manager": "\(identifier)", "error": "\(LogText.description(error))"])
        }
    }
}
