// Ferry: FerryAPI
// Header fields of the daemon's answers.

/// Header fields of the daemon's answers that say what a client would otherwise have to ask for.
package enum AnswerField {
    /// Which daemon answers, `ferryd/VERSION`; of every answer.
    package static let server = "Server"
    /// Version of the control API that the daemon speaks; of every answer.
    package static let api = "Ferry-API"
    /// Number of a durable event before those of what was submitted.
    package static let lastEvent = "Ferry-Last-Event"
}
