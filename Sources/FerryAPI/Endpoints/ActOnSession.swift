// Ferry: FerryAPI
// POST /v1/sessions/{id}/actions

package import FerryCore

/// Acts on many transfers of one session in one transaction.
package enum ActOnSession: Endpoint {
    package typealias Response = SessionAction.Report
    package static let route = Route(
        .post, "/sessions/{id}/actions", needs: .write,
        "Pauses, starts, cancels or removes many transfers of a session in one transaction.")

    package struct Request: Hashable, Codable, Sendable {
        package var action: SessionAction
        /// The named ones; nil is all of the session.
        package var ids: [TransferID]?

        package init(action: SessionAction, ids: [TransferID]?) {
            self.action = action
            self.ids = ids
        }

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable { case action, ids }
    }
}

extension ActOnSession.Request: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}
