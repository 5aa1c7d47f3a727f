// Ferry: Ferry
// Entries of the log as text.

import Foundation

/// Entries of the log as text; without what must stay secret.
enum LogText {
    /// An entry as a block of lines.
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

    /// A URL without its password.
    static func url(_ url: URL) -> String { redacted(url.absoluteString) }

    /// What an error says, without the passwords of the URLs in it.
    static func description(_ error: any Error) -> String { redacted(error.localizedDescription) }

    /// A text without the passwords of the URLs in it.
    static func redacted(_ text: String) -> String {
        // Up to the last at sign before a slash, white space or a quotation mark: everything there is the user's.
        text.replacing(/:\/\/([^\/\s@:]*):[^\/\s”"]*@/) { "://\($0.1):redacted@" }
    }
}
