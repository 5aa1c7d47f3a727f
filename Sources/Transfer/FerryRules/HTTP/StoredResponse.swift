package import FerryCore
package import FerryFoundation

/// A response that a private cache keeps, without its content, and what it is good for (RFC 9111).
package struct StoredResponse: Hashable, Sendable {
    package var status: Int
    package var fields: [HeaderField]
    /// The time of receipt.
    package var received: Date
    /// The request's fields that `Vary` names.
    package var selecting: [HeaderField]

    /// Status codes that are cacheable without an explicit lifetime (RFC 9110 §15.1), except 206.
    private static let heuristic: Set<Int> = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501]
    /// Maximum heuristic freshness lifetime, in seconds.
    private static let longestGuess = 86_400.0

    /// A response from the cache.
    package init(status: Int, fields: [HeaderField], received: Date, selecting: [HeaderField]) {
        self.status = status
        self.fields = fields
        self.received = received
        self.selecting = selecting
    }

    /// A cacheable response, or nil if the response may not be stored (RFC 9111 §3).
    ///
    /// - Parameter asked: The fields of the request.
    package init?(method: String, asked: [HeaderField], status: Int, fields: [HeaderField], received: Date) {
        let (request, response) = (CacheControl(asked), CacheControl(fields))
        let saysHowLong = response.has("max-age") || fields.contains { $0.isNamed("Expires") }
        guard method == "GET", status >= 200, status != 206, status != 304, !Self.isConditional(asked),
            !request.has("no-store"), !response.has("no-store"),
            Self.heuristic.contains(status) || saysHowLong || response.has("public") || response.has("private")
        else { return nil }
        // The cookies of the request are unknown here.
        let names = Self.list("Vary", of: fields)
        guard !names.contains("*"), !names.contains(where: { $0.lowercased() == "cookie" }) else { return nil }
        self.init(status: status, fields: fields, received: received, selecting: Self.selecting(asked, by: fields))
    }

    /// The request's fields named by the response's `Vary` (RFC 9110 §12.5.5).
    package static func selecting(_ asked: [HeaderField], by fields: [HeaderField]) -> [HeaderField] {
        let names = list("Vary", of: fields).map { $0.lowercased() }
        return asked.filter { names.contains($0.name.lowercased()) }
    }

    /// Whether a request is a range or conditional request. A cache takes no part in these.
    package static func isConditional(_ asked: [HeaderField]) -> Bool {
        asked.contains { $0.isNamed("Range") || $0.name.lowercased().hasPrefix("if-") }
    }

    /// Whether a response invalidates the stored responses of its URL (RFC 9111 §4.4).
    package static func isInvalidated(by method: String, status: Int) -> Bool {
        (200..<400).contains(status) && !["GET", "HEAD", "OPTIONS", "TRACE"].contains(method)
    }

    // MARK: Use

    /// Whether the response matches a request with these fields (RFC 9111 §4.1).
    package func matches(_ asked: [HeaderField]) -> Bool {
        Self.list("Vary", of: fields).allSatisfy { name in
            name != "*"
                && asked.filter { $0.isNamed(name) }.map(\.value) == selecting.filter { $0.isNamed(name) }.map(\.value)
        }
    }

    /// Whether the response may be used without revalidation (RFC 9111 §4.2).
    ///
    /// - Parameter asked: The fields of the request.
    package func isFresh(for asked: [HeaderField], at now: Date) -> Bool {
        let (request, response) = (CacheControl(asked), CacheControl(fields))
        let isOldStyle = !asked.contains { $0.isNamed("Cache-Control") }
        if isOldStyle, Self.list("Pragma", of: asked).contains("no-cache") { return false }
        guard !request.has("no-cache"), !request.has("no-store"), !response.has("no-cache"), let age = age(at: now)
        else { return false }
        let rest = lifetime - age
        if let limit = request.seconds("max-age"), age > limit { return false }
        if let wanted = request.seconds("min-fresh"), rest < wanted { return false }
        if rest > 0 { return true }
        guard request.has("max-stale"), !response.has("must-revalidate") else { return false }
        return Self.isBare("max-stale", asked) || -rest <= request.seconds("max-stale") ?? 0
    }

    /// The conditional fields for revalidation. Empty if the response has no validator.
    package var conditions: [HeaderField] {
        [("ETag", "If-None-Match"), ("Last-Modified", "If-Modified-Since")].compactMap { own, asked in
            fields.first { $0.isNamed(own) }.map { HeaderField(name: asked, value: $0.value) }
        }
    }

    /// The response after a successful revalidation (RFC 9111 §3.2).
    ///
    /// - Parameter new: The fields of the 304 response.
    package func refreshed(by new: [HeaderField], at now: Date) -> StoredResponse {
        // These describe the content, which stays as it is.
        let ofContent = ["Content-Length", "Content-Encoding", "Content-Type", "Content-Range", "Transfer-Encoding"]
        let taken = new.filter { field in !ofContent.contains { field.isNamed($0) } }
        var response = self
        // The old age is obsolete.
        let isOfBefore: (HeaderField) -> Bool = { $0.isNamed("Age") || $0.isNamed("Date") }
        response.fields =
            fields.filter { old in !isOfBefore(old) && !taken.contains { $0.isNamed(old.name) } } + taken
        response.received = now
        return response
    }

    // MARK: Time

    /// Freshness lifetime in seconds (RFC 9111 §4.2.1).
    private var lifetime: Double {
        if let seconds = CacheControl(fields).seconds("max-age") { return seconds }
        let made = date("Date") ?? received
        if fields.contains(where: { $0.isNamed("Expires") }) { return date("Expires")?.timeIntervalSince(made) ?? 0 }
        guard Self.heuristic.contains(status), let modified = date("Last-Modified") else { return 0 }
        return min(max(0, made.timeIntervalSince(modified)) / 10, Self.longestGuess)
    }

    /// Current age in seconds (RFC 9111 §4.2.3), or nil if the clock was set back.
    private func age(at now: Date) -> Double? {
        let resident = now.timeIntervalSince(received)
        guard resident >= 0 else { return nil }
        let apparent = max(0, date("Date").map { received.timeIntervalSince($0) } ?? 0)
        let stated = fields.first { $0.isNamed("Age") }.flatMap { Double($0.value.trimmingFieldSpace) } ?? 0
        return max(apparent, stated.isFinite ? stated : 0) + resident
    }

    private func date(_ name: String) -> Date? {
        fields.first { $0.isNamed(name) }.flatMap { HTTPDate.parse($0.value.trimmingFieldSpace) }
    }

    private static func list(_ name: String, of fields: [HeaderField]) -> [String] {
        fields.filter { $0.isNamed(name) }.flatMap { FieldList.elements($0.value) }
    }

    /// Whether a directive of the request has no value.
    private static func isBare(_ name: String, _ asked: [HeaderField]) -> Bool {
        list("Cache-Control", of: asked).contains { $0.lowercased() == name }
    }
}
