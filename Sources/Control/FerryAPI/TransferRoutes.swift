package import FerryCore

/// Adds one transfer. The response is sent once it is durable.
package enum AddTransfer: Endpoint {
    package typealias Request = TransferRequest
    package typealias Response = Transfer
    package static let route = Route(.post, "/transfers", "Adds one transfer.")
}

/// Returns one transfer.
package enum GetTransfer: Endpoint {
    package typealias Response = Transfer
    package static let route = Route(.get, "/transfers/{id}", "Shows one transfer.")
}

/// Returns the request of one transfer, without its secrets.
package enum GetRequest: Endpoint {
    package typealias Response = ShownRequest
    package static let route = Route(
        .get, "/transfers/{id}/request", "Shows the request of one transfer, without its secrets.")
}

/// Returns the byte ranges of one transfer that survive a power cut.
package enum GetRanges: Endpoint {
    package static let route = Route(
        .get, "/transfers/{id}/ranges", "Shows the durable bytes of one transfer.")

    package struct Response: Hashable, Codable, Sendable {
        /// Pairs of start and end (exclusive), ascending. No two ranges touch.
        package var durable: [[Int64]]

        package init(durable: ByteRangeSet) {
            self.durable = durable.ranges.map { [$0.lowerBound, $0.upperBound] }
        }
    }
}

/// Changes one waiting or running transfer.
package enum ChangeTransfer: Endpoint {
    package typealias Request = TransferChange
    package typealias Response = Transfer
    package static let route = Route(
        .patch, "/transfers/{id}", "Changes one waiting or running transfer.")
}

/// Removes one transfer. Cancels it first if it is unfinished.
package enum DeleteTransfer: Endpoint {
    package typealias Response = ActionResult
    package static let route = Route(
        .delete, "/transfers/{id}", "Removes one transfer, after canceling it if unfinished.")

    /// - Throws: ``ServiceError`` with code `invalid_request` for an unsupported query.
    package static func deletesFile(_ query: [QueryItem]) throws(ServiceError) -> Bool {
        var result = false
        for item in query {
            guard item.name == "delete_file" else { throw item.unknown(among: ["delete_file"]) }
            result = try item.bool()
        }
        return result
    }
}

/// Ends one transfer and hands its partial file over to the request that continues it.
package enum ReleaseTransfer: Endpoint {
    package static let route = Route(
        .post, "/transfers/{id}/release",
        "Ends one transfer and hands over its partial file to a later request.")

    package struct Response: Hashable, Codable, Sendable {
        /// The partial file that a new request can continue, or `nil` if the transfer cannot be continued.
        package var source: PartialSource?

        package init(source: PartialSource?) { self.source = source }
    }
}

/// Acts on many transfers.
package enum ActOnTransfers: Endpoint {
    package static let route = Route(
        .post, "/actions", "Pauses, resumes, cancels, retries or removes many transfers.")

    package struct Request: Hashable, Codable, Sendable {
        package var action: TransferAction
        /// The transfers to act on, or `nil` for all that match `session`.
        package var ids: [TransferID]?
        /// Restricts the action to one session. `nil` means all sessions.
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
