package import FerryCore

/// Lists the sessions.
package enum ListSessions: Endpoint {
    package typealias Response = [SessionInfo]
    package static let route = Route(.get, "/sessions", "Lists the sessions and their limits.")
}

/// Changes limits of one session. Creates the session if it does not exist.
package enum ChangeSession: Endpoint {
    package typealias Request = SessionSettingsChange
    package typealias Response = SessionInfo
    package static let route = Route(.patch, "/sessions/{id}", "Changes limits of one session.")
}

/// Acts on many transfers of one session in one transaction.
package enum ActOnSession: Endpoint {
    package typealias Response = SessionAction.Report
    package static let route = Route(
        .post, "/sessions/{id}/actions",
        "Pauses, starts, cancels or removes many transfers of a session in one transaction.")

    package struct Request: Hashable, Codable, Sendable {
        package var action: SessionAction
        /// The transfers to act on, or `nil` for all of the session.
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

/// Sets the order of a session's transfers in the queue.
package enum ReorderSession: Endpoint {
    package static let route = Route(
        .put, "/sessions/{id}/order",
        "Sets the order of a session's transfers. Others follow.")

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

/// Removes durable events of a session.
package enum AcknowledgeEvents: Endpoint {
    package typealias Response = Request
    package static let route = Route(
        .post, "/sessions/{id}/acknowledge", "Acknowledges a session's durable events up to a number.")

    package struct Request: Hashable, Codable, Sendable {
        /// Number of the last event that the client has handled.
        package var through: Int64

        package init(through: Int64) { self.through = through }

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable { case through }
    }
}

extension AcknowledgeEvents.Request: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}

/// Extends a session's lease.
package enum RenewLease: Endpoint {
    package typealias Response = Request
    package static let route = Route(
        .put, "/sessions/{id}/lease", "Lets a session's transfers that need a lease run until a moment.")

    package struct Request: Hashable, Codable, Sendable, StrictBody {
        /// Seconds since boot, sleep included (`CLOCK_BOOTTIME`).
        package var until: Double

        package static let keys: Set = ["until"]

        package init(until: Double) { self.until = until }
    }
}

/// Force-quits one session, or all sessions of an app.
package enum QuitSessions: Endpoint {
    package typealias Response = ActOnTransfers.Response
    package static let route = Route(
        .post, "/quit", "Force-quits one background session, or all of an app.")

    package struct Request: Hashable, Codable, Sendable {
        package var selection: QuitSelection

        package init(_ selection: QuitSelection) { self.selection = selection }

        fileprivate enum CodingKeys: String, CodingKey, CaseIterable { case session, application }

        package init(from decoder: any Decoder) throws {
            let box = try decoder.container(keyedBy: CodingKeys.self)
            let session = try box.decodeIfPresent(SessionID.self, forKey: .session)
            let application = try box.decodeIfPresent(String.self, forKey: .application)
            switch (session, application) {
            case (let session?, nil): selection = .session(session)
            case (nil, let application?): selection = .application(application)
            case (nil, nil), (_?, _?):
                throw ServiceError(.invalidRequest, "The body has either session or application.")
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var box = encoder.container(keyedBy: CodingKeys.self)
            switch selection {
            case .session(let session): try box.encode(session, forKey: .session)
            case .application(let application): try box.encode(application, forKey: .application)
            }
        }
    }
}

extension QuitSessions.Request: StrictBody {
    package static let keys = Set(CodingKeys.allCases.map(\.rawValue))
}
