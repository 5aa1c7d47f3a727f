import Foundation
public import Logging

/// Writes the log of a manager.
public protocol Logable {
    /// The manager's identifier.
    var identifier: String { get }
    /// The log level.
    var option: LogOption { get set }

    /// Writes an entry. Called with one entry at a time on the manager's operation queue. May call the manager.
    func log(_ type: LogType)
}

/// The log level.
public enum LogOption: Sendable {
    /// Changes, refused calls and errors.
    case `default`
    /// Nothing.
    case none
}

/// A log entry.
public enum LogType: Sendable {
    case sessionManager(_ message: String, manager: SessionManager)
    case downloadTask(_ message: String, task: DownloadTask)
    case error(_ message: String, error: any Error)
}

/// Prints entries to standard output, one block each.
struct Logger: Logable {
    let identifier: String
    var option: LogOption = .default

    func log(_ type: LogType) {
        guard option != .none else { return }
        print(LogText.block(type, identifier: identifier))
    }
}

/// Writes the log of a manager to swift-log: changes as `debug`, refused calls and errors as `error`.
public struct SwiftLogLogger: Logable, Sendable {
    public let identifier: String
    public var option: LogOption
    private let logger: Logging.Logger

    /// - Parameters:
    ///   - identifier: The manager's identifier.
    ///   - logger: Defaults to a logger with the label `ferry.manager`.
    ///   - option: The log level.
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

/// Formats log entries without secrets.
enum LogText {
    /// Formats an entry as a block of lines.
    static func block(_ type: LogType, identifier: String) -> String {
        var lines = ["************************ FerryLog ************************", "identifier    :  \(identifier)"]
        switch type {
        case .sessionManager(let message, _):
            lines.append("Message       :  [SessionManager] \(redacted(message))")
        case .downloadTask(let message, let task):
            lines.append("Message       :  [DownloadTask] \(redacted(message))")
            lines.append("Task URL      :  \(url(task.url))")
        case .error(let message, let error):
            lines.append("Message       :  [Error] \(redacted(message))")
            lines.append("Description   :  \(description(error))")
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns a URL without its password and query values.
    static func url(_ url: URL) -> String { redacted(url.absoluteString) }

    /// Returns an error's message without the secrets of URLs.
    static func description(_ error: any Error) -> String { redacted(error.localizedDescription) }

    /// Returns a text without passwords and query values in URLs: signed URLs have secrets there.
    static func redacted(_ text: String) -> String {
        // Up to the last at sign before a slash, whitespace or a quotation mark: all of it is userinfo.
        text.replacing(/:\/\/([^\/\s@:]*):[^\/\s”"]*@/) { "://\($0.1):redacted@" }
            // A full stop at the end belongs to the sentence.
            .replacing(/(:\/\/[^\s”"?#]*\?)([^\s”"#]*?)([.,;:)]*)(?=[\s”"#]|$)/) { match in
                let names = match.2.split(separator: "&").compactMap { pair in
                    pair.firstIndex(of: "=").map { pair[...$0] }
                }
                return match.1 + names.joined(separator: "&") + match.3
            }
    }
}

/// Passes a logger to the serial queue that calls it. An app's logger need not be `Sendable`.
struct LoggerBox: @unchecked Sendable {  // SAFETY: `log` is called on the session's serial line alone
    var logger: any Logable
}
