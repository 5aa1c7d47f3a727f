// Ferry: FerryAPI
// PUT /v1/sessions/{id}/order

package import FerryCore

/// Stores in which order a session's transfers get their turns.
package enum ReorderSession: Endpoint {
    package static let route = Route(
        .put, "/sessions/{id}/order",
        "Stores in which order a session's transfers get their turns; those that are not named come after.")

    package struct Request: Hashable, Codable, Sendable {
        package var order: TransferIDRuns

        package init(order: TransferIDRuns) { self.order = order }

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable { case order }

        package init(from decoder: any Decoder) throws {
            order = try decoder.container(keyedBy: CodingKeys.self).decode(TransferIDRuns.self, forKey: .order)
        }

        package func encode(to encoder: any Encoder) throws {
            var box = encoder.container(keyedBy: CodingKeys.self)
            try box.encode(order, forKey: .order)
        }
    }

    package struct Response: Hashable, Codable, Sendable {
        package var id: SessionID

        package init(id: SessionID) { self.id = id }
    }
}

extension ReorderSession.Request: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}
