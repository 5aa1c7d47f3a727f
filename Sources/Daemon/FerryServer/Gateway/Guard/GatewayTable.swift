import FerryAPI
import FerryCore
import Foundation

/// The rules for the gateway's clients, as a table: what each of them may call, and which effects are limited to the
/// allowed folders.
///
/// Anything else is refused. Tests compare it with all routes, actions and keys, so that a new one needs
/// a verdict.
enum GatewayTable {
    enum Verdict: String, CaseIterable {
        /// Every client may do it, with any transfer. The file keeps the folder and the name of its own request.
        case offered
        /// It changes, places or deletes a file: only in allowed folders, after links are resolved.
        case inside
        /// No client may do it.
        case refused
    }

    /// The routes that clients may call. The calls behind them are judged by the other tables.
    static let routes: Set<Route> = [
        GetVersion.route, GetStatus.route, AddTransfer.route, AddTransfers.route, ListTransfers.route,
        GetTransfer.route, GetRequest.route, GetRanges.route, ChangeTransfer.route, DeleteTransfer.route,
        MoveTransfer.route, ActOnTransfers.route, ListQueue.route, CountQueue.route, StreamEvents.route,
        ListSessions.route, ChangeSession.route, GetSettings.route, ChangeSettings.route,
    ]

    /// The routes of the control API that are for programs of the machine's user only.
    static let refusedRoutes: Set<Route> = [
        ReleaseTransfer.route, SubmitBatch.route, SubmitList.route, ActOnSession.route, ReorderSession.route,
        AcknowledgeEvents.route, RenewLease.route, AttachSession.route, QuitSessions.route, ConnectApplication.route,
        ActivateApplication.route, ChangeApplication.route, HoldOrigin.route, GetGateway.route, ChangeGateway.route,
        GatewaySecret.route, OfferPageCode.route, OfferPairing.route, ListGatewayClients.route,
        DeleteGatewayClient.route, StopDaemon.route,
    ]

    static func verdict(on action: TransferAction) -> Verdict {
        switch action {
        case .pause, .resume, .cancel, .retry, .remove: .offered
        case .removeWithFile: .inside
        }
    }

    /// The keys of a new request. Its file is placed in an allowed folder in any case.
    static let request: [String: Verdict] = keys(
        offered: [
            "acceptable_statuses", "address_family", "address_scope", "allow_downgrade", "allow_private_redirects",
            "body", "checksums", "connect_timeout", "connections", "cookies", "create_folders", "deadline", "decode",
            "expected_size", "foreign_fields", "give_up_after", "headers", "idle_timeout", "insecure", "logins",
            "max_redirects", "max_size", "maximum_tls", "method", "min_speed", "min_speed_time", "minimum_tls",
            "mirrors", "name_from", "network", "not_before", "note", "on_full_disk", "on_mismatch",
            "origin_attribute", "paused", "preemptive_auth", "priority", "proxy_environment", "rate_limit",
            "remote_time", "resource_timeout", "retries", "retry_rule", "session", "session_cookies",
            "skip_host_verification", "status_policy", "status_retries", "tags", "url",
        ],
        inside: ["folder", "name", "on_conflict"],
        refused: [
            "allowed_folders", "continues", "direction", "file", "partial_folder", "spooled", "trust", "umask",
        ])

    /// The keys of a change. `action` has its own verdict.
    static let change: [String: Verdict] = keys(
        offered: ["action", "connections", "priority", "rate_limit"],
        // They change the bytes, the name or the place of a file.
        inside: [
            "answer", "checksums", "cookies", "folder", "headers", "logins", "mirrors", "name", "network", "not_before",
            "note",
            "on_conflict", "on_mismatch", "retry_rule", "trust_answer", "url",
        ],
        refused: ["allowed_folders"])

    /// The keys of the daemon's settings. The disk reserve and the network use are the machine's user's own.
    static let settings: [String: Verdict] = keys(
        offered: [
            "active_transfers", "connections_per_host", "connections_total", "rate_limit", "slow", "slow_rate_limit",
            "small_files_per_host", "upload_rate_limit",
        ],
        refused: ["constrained", "reserve"])

    /// The keys of a session's settings.
    static let session: [String: Verdict] = keys(
        offered: ["active_transfers", "host_connections", "idle_timeout", "in_order", "network", "rate_limit"])

    private static func keys(
        offered: [String], inside: [String] = [], refused: [String] = []
    ) -> [String: Verdict] {
        var table: [String: Verdict] = [:]
        for (verdict, keys) in [(Verdict.offered, offered), (.inside, inside), (.refused, refused)] {
            for key in keys { table[key] = verdict }
        }
        return table
    }

    /// Judges a body by the keys that it uses.
    ///
    /// - Returns: Whether an effect is limited to the allowed folders.
    /// - Throws: ``ServiceError`` with code `invalid_request`, naming a key that is not offered.
    static func isLimited(
        _ body: some Encodable, by table: [String: Verdict]
    ) throws(ServiceError) -> Bool {
        let used = try UsedKeys.of(body)
        for key in used.sorted() where table[key] ?? .refused == .refused {
            throw ServiceError(
                .invalidRequest,
                "The gateway does not offer \(key.escapingControls); use the command ferry on its machine.")
        }
        return used.contains { table[$0] == .inside }
    }
}

/// The top-level keys of a value's JSON object.
private struct UsedKeys: Decodable {
    let keys: Set<String>

    private struct AnyKey: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        keys = Set(try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue))
    }

    static func of(_ value: some Encodable) throws(ServiceError) -> Set<String> {
        do { return try APIJSON.decoder.decode(UsedKeys.self, from: Data(APIJSON.bytes(value))).keys } catch {
            throw ServiceError(.internal, "A request cannot be written as JSON: \(error)")
        }
    }
}
