package import FerryCore

/// A URL list after the checks that need no disk access.
package struct AdmittedList: Sendable {
    /// The request to store, without the URL.
    package var template: TransferRequest
    /// Runs of consecutive URLs that were accepted, or refused for the same reason, in list order.
    package private(set) var spans: [Span] = []
    package private(set) var urls = URLTable()
    /// Whether any accepted URL uses TLS.
    package private(set) var needsTrust = false

    package struct Span: Sendable {
        package var count: Int
        /// The reason for refusing the span, or `nil` if it was accepted.
        package let error: ServiceError?
    }

    /// - Throws: ``ServiceError`` with code `invalid_request` if the template is invalid.
    @concurrent
    package init(_ lines: URLLines, of template: TransferRequest) async throws(ServiceError) {
        self.template = try Self.admit(template)
        var reader = HTTPURLReader()
        lines.forEach { line in
            do throws(ServiceError) {
                let url = try reader.read(line)
                needsTrust = needsTrust || url.origin.hasPrefix("https:")
                urls.append(url)
                note(nil)
            } catch {
                note(error)
            }
        }
        urls.finish()
    }

    private mutating func note(_ error: ServiceError?) {
        if let last = spans.last, last.error == error {
            spans[spans.count - 1].count += 1
        } else {
            spans.append(Span(count: 1, error: error))
        }
    }

    private static func admit(_ template: TransferRequest) throws(ServiceError) -> TransferRequest {
        guard template.file.name == nil, template.note == nil, template.mirrors.isEmpty, !template.file.spooled,
            template.file.continues == nil
        else {
            throw ServiceError(
                .invalidRequest, "A list's request has no name, note or mirrors, is not spooled and continues no file.")
        }
        return try AdmittedBatch.admit(template).get()
    }

    /// Returns the report for the submitter.
    ///
    /// - Parameter first: The id of the first accepted transfer. The ids of the others follow it.
    package func report(first: TransferID, lastEvent: Int64) -> TransferBatch.Report {
        var report = TransferBatch.Report(lastEvent: lastEvent)
        var next = first
        for span in spans {
            if let error = span.error {
                report.refuse(error, count: span.count)
            } else {
                report.accept(first: next, count: span.count)
                next = next.advanced(by: span.count)
            }
        }
        return report
    }

    /// Refuses all accepted URLs.
    package mutating func refuse(_ error: ServiceError) {
        let all = spans
        spans = []
        for span in all { spans.append(Span(count: span.count, error: span.error ?? error)) }
        urls = URLTable()
    }
}
