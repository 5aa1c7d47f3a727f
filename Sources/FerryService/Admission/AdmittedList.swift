// Ferry: FerryService
// A list of URLs, line by line, as far as its own words tell.

import FerryCore
import FerryStore

/// A list whose URLs were checked without a look at the disk.
struct AdmittedList: Sendable {
    /// As it is to be stored but for the URL.
    var template: TransferRequest
    /// URLs in the order of the list that were accepted, or refused for the same reason.
    private(set) var spans: [Span] = []
    private(set) var urls = URLTable()

    struct Span: Sendable {
        var count: Int
        /// nil if they were accepted.
        let error: TransferError?
    }

    /// - Throws: ``TransferError`` with code `invalid_request` if the template is none.
    @concurrent
    init(_ list: TransferList) async throws(TransferError) {
        template = try Self.admit(list.template)
        var reader = HTTPURLReader()
        list.urls.forEach { line in
            do throws(TransferError) {
                urls.append(try reader.read(line))
                note(nil)
            } catch {
                note(error)
            }
        }
        urls.finish()
    }

    private mutating func note(_ error: TransferError?) {
        if let last = spans.last, last.error == error {
            spans[spans.count - 1].count += 1
        } else {
            spans.append(Span(count: 1, error: error))
        }
    }

    private static func admit(_ template: TransferRequest) throws(TransferError) -> TransferRequest {
        guard template.name == nil, template.note == nil, template.mirrors.isEmpty, !template.spooled else {
            throw TransferError(.invalidRequest, "A list's request has no name, note or mirrors, and is not spooled.")
        }
        return try AdmittedBatch.admit(template).get()
    }

    /// What its submitter is answered.
    ///
    /// - Parameter first: the id of the first that was accepted; the others follow it.
    func report(first: TransferID) -> TransferList.Report {
        var report = TransferList.Report()
        var next = first
        for span in spans {
            if let error = span.error {
                report.refuse(error, count: span.count)
            } else {
                report.accept(first: next, count: span.count)
                next = TransferID(rawValue: next.rawValue + UInt64(span.count))
            }
        }
        return report
    }

    /// What its submitter is answered if none is stored.
    func report(refusal: TransferError) -> TransferList.Report {
        var report = TransferList.Report()
        for span in spans { report.refuse(span.error ?? refusal, count: span.count) }
        return report
    }
}
