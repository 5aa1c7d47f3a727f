import FerryCore
import FerryFoundation

/// Results of the extension's calls.
enum NativeResult {
    struct Hello: Encodable { let version: String }
    struct Page: Encodable { let url: String }
    struct Kept: Encodable { let id: TransferID }

    /// The facts in the head of an offered file's response.
    struct Offer: Hashable, Encodable {
        let id: TransferID
        /// The file's size in bytes, if the response states it.
        let length: Int64?
        let etag: String?
        let type: String?
        /// Whether it is a web page where another file was requested.
        let isPage: Bool
        /// Whether the response has arrived. False for a transfer that still waits for a slot.
        let isFound: Bool

        init(_ transfer: Transfer, isFound: Bool = true) {
            id = transfer.id
            length = transfer.state == .succeeded ? transfer.bytesReceived : transfer.response?.completeLength
            etag = transfer.etag
            type = transfer.contentType
            isPage = transfer.notes.contains(TransferNotes.webPage)
            self.isFound = isFound
        }
    }

    /// A transfer in a list.
    struct Item: Hashable, Encodable {
        let id: TransferID
        let name: String
        let state: TransferState
        let received: Int64
        let expected: Int64?
        let speed: Double?
        /// Why it waits or has failed, as a sentence.
        let why: String?
        /// Whether the file is a web page where another file was requested.
        let isPage: Bool

        init(_ transfer: Transfer, now: Date) {
            id = transfer.id
            name = transfer.displayName
            state = transfer.state
            received = transfer.bytesReceived
            expected = transfer.bytesExpected
            speed = transfer.bytesPerSecond
            isPage = transfer.notes.contains(TransferNotes.webPage)
            why =
                transfer.state == .failed
                ? transfer.error?.message.escapingControls : WaitSentence.whole(transfer, now: now)
        }
    }

    struct List: Encodable {
        let transfers: [Item]
        /// Number of unfinished transfers besides those.
        let more: Int
    }

    /// Totals for the extension's button.
    struct Summary: Hashable, Encodable {
        var event = "summary"
        var running = 0
        var waiting = 0
        /// Number of failed transfers that came from a browser, among the last ones.
        var failed = 0
        var received: Int64 = 0
        /// 0 while a size is unknown.
        var expected: Int64 = 0
        var speed = 0.0
        /// The last finished transfers that came from a browser.
        var ended: [Item] = []

        /// - Parameters:
        ///   - active: The transfers that run or wait for a retry.
        ///   - waiting: Number of other unfinished transfers.
        ///   - ended: The last finished transfers.
        init(active: [Transfer], waiting: Int, ended: [Transfer] = [], now: Date) {
            let active = active.filter { !OfferKey.isHidden($0) }
            let running = active.filter { $0.state == .running }
            self.running = running.count
            self.waiting = waiting + active.count - running.count
            received = running.reduce(0) { $0 + $1.bytesReceived }
            let sizes = running.compactMap(\.bytesExpected)
            expected = sizes.count == running.count ? sizes.reduce(0, +) : 0
            speed = running.reduce(0) { $0 + ($1.bytesPerSecond ?? 0) }
            let own = ended.filter {
                $0.tags.contains(NativeDownload.tag) && !OfferKey.isHidden($0) && $0.state != .canceled
            }
            self.ended = own.map { Item($0, now: now) }
            failed = own.count { $0.state == .failed }
        }
    }
}

extension ResponseFacts {
    /// The complete length of the file in bytes that the head states, also for a part of it (RFC 9110 §8.6, §14.4).
    fileprivate var completeLength: Int64? {
        func value(_ name: String) -> String? { fields.first { $0.isNamed(name) }?.value }
        if status == 206 { return value("Content-Range").flatMap { Int64($0.split(separator: "/").last ?? "") } }
        return value("Content-Encoding") == nil ? value("Content-Length").flatMap { Int64($0) } : nil
    }
}
