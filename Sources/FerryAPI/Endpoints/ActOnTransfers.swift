// Ferry: FerryAPI
// POST /v1/actions

package import FerryCore

/// Acts on many transfers.
package enum ActOnTransfers: Endpoint {
    package static let route = Route(
        .post, "/actions", "Pauses, resumes, cancels, retries or removes many transfers.")

    package struct Request: Hashable, Codable, Sendable {
        package var action: TransferAction
        /// The named ones; nil is all that the session filter lets through.
        package var ids: [TransferID]?
        /// Only those of this session; nil is all sessions.
        package var session: SessionID?

        package init(action: TransferAction, selection: TransferSelection) {
            self.action = action
            self.ids = selection.ids
            self.session = selection.session
        }

        package var selection: TransferSelection { TransferSelection(ids: ids, session: session) }

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable { case action, ids, session }
    }

    package struct Response: Hashable, Codable, Sendable {
        package var results: [ActionResult]

        package init(results: [ActionResult]) { self.results = results }
    }
}

extension ActOnTransfers.Request: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}
