// Ferry: FerryAPI
// POST /v1/quit

package import FerryCore

/// Force-quits one session, or all of an app.
package enum QuitSessions: Endpoint {
    package typealias Response = ActOnTransfers.Response
    package static let route = Route(
        .post, "/quit", "Force-quits one background session, or all of an app.")

    package struct Request: Hashable, Codable, Sendable {
        package var selection: QuitSelection

        package init(_ selection: QuitSelection) { self.selection = selection }

        private enum CodingKeys: String, CodingKey { case session, application }

        package init(from decoder: any Decoder) throws {
            let box = try decoder.container(keyedBy: CodingKeys.self)
            let session = try box.decodeIfPresent(SessionID.self, forKey: .session)
            let application = try box.decodeIfPresent(String.self, forKey: .application)
            switch (session, application) {
            case (let session?, nil): selection = .session(session)
            case (nil, let application?): selection = .application(application)
            case (nil, nil), (_?, _?):
                throw TransferError(.invalidRequest, "The body has either session or application.")
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
    package static let keys: Set = ["session", "application"]
}
