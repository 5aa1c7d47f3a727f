// Ferry: Ferry
// What downloads that are made together share.

import FerryCore

/// The request that several downloads share; a request is much to copy for each of thousands.
final class PlanTemplate: Sendable {
    let request: TransferRequest

    init(_ request: TransferRequest) { self.request = request }
}

/// The templates of the downloads of one call.
struct PlanTemplates {
    private struct Key: Hashable {
        let headers: [String: String]
        /// In place of the configured one; nil keeps that.
        let policy: ConflictPolicy?
    }

    private var made: [Key: PlanTemplate] = [:]

    /// The template of downloads with these headers and this policy.
    ///
    /// - Parameter plain: makes the request that all of them begin with.
    mutating func template(
        headers: [String: String], policy: ConflictPolicy?, _ plain: () -> TransferRequest
    ) -> PlanTemplate {
        let key = Key(headers: headers, policy: policy)
        if let known = made[key] { return known }
        var request = plain()
        request.headers = RequestPlan.fields(headers)
        if let policy { request.onConflict = policy }
        let template = PlanTemplate(request)
        made[key] = template
        return template
    }
}
