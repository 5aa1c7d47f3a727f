// Ferry: FerryAPI
// POST /v1/sessions/{id}/attach

package import FerryCore

/// Attaches a process to its session for as long as it reads the answer, a signal a line. The query
/// is that of `SessionAttachment`.
package enum AttachSession: Endpoint {
    package typealias Response = SessionSignal
    package static let route = Route(
        .post, "/sessions/{id}/attach",
        "Attaches a process to its session while it reads the answer, a signal a line.")
}
