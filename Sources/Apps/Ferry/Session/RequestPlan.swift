import FerryCore
import Foundation
import FoundationNetworking

/// The transfer of a download: shared and individual properties.
struct RequestPlan: Sendable {
    let template: PlanTemplate
    let url: String
    let name: String?
}

/// A request shared by several downloads, since copying it for each of thousands is expensive.
final class PlanTemplate: Sendable {
    let request: TransferRequest

    init(_ request: TransferRequest) { self.request = request }
}

/// The templates of one call's downloads.
struct PlanTemplates {
    private struct Key: Hashable {
        let headers: [String: String]
        /// Overrides the configured policy, unless nil.
        let conflict: ConflictPolicy?
        /// Nil if no request has cookies or credentials.
        let login: LoginOptions?
        let trust: ServerTrustPolicy?
    }

    private let mapping: ManagerMapping
    private let hooks: ChainHooks
    private let cache: Cache
    private let hasLogins: Bool
    private var made: [Key: PlanTemplate] = [:]

    init(_ mapping: ManagerMapping, _ hooks: ChainHooks, _ cache: Cache) {
        self.mapping = mapping
        hasLogins = mapping.hasLogins
        self.hooks = hooks
        self.cache = cache
    }

    /// Returns the plan of a download.
    ///
    /// - Parameter conflict: Overrides the configured policy, unless nil.
    mutating func plan(_ url: URL, headers: HTTPHeaders, name: String, conflict: ConflictPolicy?) -> RequestPlan {
        let trust = hooks.trustPolicy(forHost: url.host)
        let login = hasLogins ? mapping.login(URLRequest(url, headers: headers)) : nil
        let key = Key(headers: headers, conflict: conflict, login: login, trust: trust)
        if let known = made[key] { return RequestPlan(template: known, url: url.absoluteString, name: name) }
        let template = template(URLRequest(url, headers: headers), conflict, trust)
        made[key] = template
        return RequestPlan(template: template, url: url.absoluteString, name: name)
    }

    /// Returns the transfer of a URL.
    func transfer(_ url: URL, headers: HTTPHeaders) -> TransferRequest {
        mapping.download(URLRequest(url, headers: headers), in: cache)
    }

    private func template(
        _ request: URLRequest, _ conflict: ConflictPolicy?, _ trust: ServerTrustPolicy?
    ) -> PlanTemplate {
        var transfer = mapping.download(request, in: cache)
        transfer.url = ""
        trust?.apply(to: &transfer)
        if let conflict { transfer.file.onConflict = conflict }
        return PlanTemplate(transfer)
    }
}
