// Ferry: FerryStore
// Log lines that carry an error.

import Logging

extension Logger {
    /// Logs a sentence with the error that is behind it.
    func warning(_ sentence: Logger.Message, error: any Error) {
        warning(sentence, metadata: ["error": "\(error)"])
    }
}
