// Ferry: FerryAPI
// POST /v1/transfers/{id}/release

package import FerryCore

/// Ends one transfer and hands its partial file over to whoever continues it.
package enum ReleaseTransfer: Endpoint {
    package static let route = Route(
        .post, "/transfers/{id}/release",
        "Ends one transfer and hands its partial file over to whoever continues it.")

    package struct Response: Hashable, Codable, Sendable {
        /// What a new request continues; nil if the transfer cannot be continued.
        package var source: PartialSource?

        package init(source: PartialSource?) { self.source = source }
    }
}
