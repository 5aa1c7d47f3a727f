// Ferry: FerryAPI
// POST /v1/sessions/{id}/actions

package import FerryCore

/// Acts on many transfers of one session in one transaction.
package enum ActOnSession: Endpoint {
    package typealias Response = SessionAction.Report
    package static let route = Route(
        .post, "/sessions/{id}/actions",
        "Pauses, starts, cancels or removes many transfers of a session in one transaction.")

    package struct Request: Hashable, Codable, Sendable {
        package var action: SessionAction
        /// The named ones; nil is all of the session.
        package var ids: TransferIDRuns?

        package init(action: SessionAction, ids: TransferIDRuns?) {
            self.action = action
            self.ids = ids
        }

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable { case action, ids }

        package init(from decoder: any Decoder) throws {
            let box = try decoder.container(keyedBy: CodingKeys.self)
            action = try box.decode(SessionAction.self, forKey: .action)
            ids = try box.decodeIfPresent(TransferIDRuns.self, forKey: .ids)
        }

        package func encode(to encoder: any Encoder) throws {
            var box = encoder.container(keyedBy: CodingKeys.self)
            try box.encode(action, forKey: .action)
            try box.encodeIfPresent(ids, forKey: .ids)
        }
    }
}

extension ActOnSession.Request: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}
