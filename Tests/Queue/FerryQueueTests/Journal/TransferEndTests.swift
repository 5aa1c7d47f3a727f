import FerryCore
import FerryQueue
import FerryRules
import Foundation
import Testing

@Suite struct `The end of a transfer` {
    private static let partial = PartialFacts(
        folder: "/f", name: ".a.part", device: 1, inode: 2, folderDevice: 1, folderInode: 3)
    private static let moment = Date(timeIntervalSince1970: 1)

    /// Returns a transfer with some durable bytes, a copy on its way to the final name, and a cookie.
    private func record() -> TransferRecord {
        var request = TransferRequest(url: "http://a/", folder: "/f")
        request.cookies = [GivenCookie(name: "a", value: "b", domain: "a", path: "/", secure: false)]
        var record = TransferRecord(
            id: TransferID(rawValue: 1), createdAt: Date(timeIntervalSince1970: 0), request: request, credentials: nil)
        record.facts.partial = Self.partial
        record.facts.ranges.insert(0..<100)
        record.facts.copy = "/f/.a.copy"
        return record
    }

    @Test func `by success has no partial file any more, and no secrets`() {
        let success = Outcome.succeeded(Outcome.Success(path: "/f/a", size: 100, verified: []))
        let end = TransferEnd(record(), success, at: Self.moment)
        #expect(end.record.outcome == success && end.record.finishedAt == Self.moment && end.kind == .succeeded)
        #expect(end.record.facts.partial == nil && end.record.facts.copy == nil)
        // The partial file has become the file.
        #expect(end.unneeded.partial == nil && end.unneeded.copy == "/f/.a.copy")
        #expect(end.record.request.cookies.isEmpty && end.record.request.secretsForgotten)
    }

    @Test(arguments: ErrorCode.allCases)
    func `by failure removes the partial file if the error keeps no bytes`(code: ErrorCode) {
        let error = ServiceError(code, "No.")
        let end = TransferEnd(record(), .failed(error), at: Self.moment)
        let keeps = error.kept(with: record().facts) != .none
        #expect((end.record.facts.partial != nil) == keeps && end.record.facts.ranges.isEmpty == !keeps)
        #expect(end.unneeded.partial == (keeps ? nil : Self.partial) && end.unneeded.copy == "/f/.a.copy")
        #expect(end.record.facts.copy == nil && end.kind == .failed)
        #expect(!end.record.request.cookies.isEmpty)
    }

    @Test func `by a cancel keeps the record of the partial file, which the action removes`() {
        let end = TransferEnd(record(), .canceled, at: Self.moment)
        #expect(end.record.facts.partial == Self.partial && end.unneeded.partial == nil)
        #expect(end.record.request.cookies.isEmpty && end.kind == .canceled)
    }
}
