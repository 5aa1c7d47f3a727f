import Logging

/// Log lines that carry an error.
extension Logger {
    /// Logs a sentence with the error that is behind it.
    func warning(_ sentence: Logger.Message, error: any Error) {
        warning(sentence, metadata: ["error": "\(error)"])
    }
}
