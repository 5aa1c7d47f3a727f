import FerryAPI
import FerryCore
import FerryService
import FerryTesting
import Foundation
import Testing

/// A number from a client, server or file must never trap, at its limits and beyond.
@Suite(.timeLimit(.minutes(2))) struct `Numbers from outside` {
    private static let body = SeededBody(seed: 5, size: 900)
    private static let script = OriginScript(body, .on(.path("/busy"), .status(503, retryAfter: "1")))

    /// Scales time so that a server's delay of a day takes a tenth of a second.
    private static func quick(_ configuration: inout ServiceConfiguration) { configuration.delayScale = 1e-6 }

    /// Waits until a transfer has made an attempt or needs none, then removes it.
    private func finish(_ transfer: Transfer, _ bed: ServiceBed) async throws {
        try await bed.wait(for: transfer.id, "a try") {
            $0.state.isEnded || $0.attempts > 1 || $0.attempts > 0 && $0.reason != nil || $0.bytesReceived > 0
        }
        _ = try await bed.service.act(.remove, on: TransferSelection(ids: [transfer.id]))
    }

    @Test(arguments: NumberText.request)
    func `a request's number is refused, or serves an attempt that fails and one that succeeds`(key: String)
        async throws
    {
        try await withService(.inProcess, Self.script, Self.quick) { bed in
            var accepted = 0
            for number in NumberText.json(for: key) {
                let pair = key.replacing("#", with: number)
                for path in ["/file.bin", "/busy"] {
                    let text = #"{"url":"\#(bed.origin.url(path))","folder":"\#(bed.folder)",\#(pair)}"#
                    guard let request = try? APIJSON.decoder.decode(TransferRequest.self, from: Data(text.utf8)),
                        let result = try await bed.service.submit([request]).first,
                        case .accepted(let transfer) = result
                    else { continue }
                    accepted += 1
                    try await finish(transfer, bed)
                }
            }
            #expect(accepted > 0 || key.contains("/nowhere"))
            try await bed.wait(for: bed.add().id, .succeeded)
        }
    }

    @Test(arguments: NumberText.settings)
    func `a setting of the daemon is refused or used`(key: String) async throws {
        try await withService(.inProcess, Self.script, Self.quick) { bed in
            for number in NumberText.json(for: key) {
                let text = #"{"\#(key)":\#(number)}"#
                guard let change = try? APIJSON.decoder.decode(ServiceSettingsChange.self, from: Data(text.utf8)),
                    (try? await bed.service.changeSettings(change)) != nil
                else { continue }
                try await finish(try await bed.add(), bed)
            }
            try await bed.changeSettings { $0.reserve = 0 }
        }
    }

    /// With this reserve no file fits, and the sum of reserve and file size overflows.
    @Test func `a transfer waits for a disk with the largest reserve`() async throws {
        try await withService(.inProcess, OriginScript(SeededBody(seed: 1, size: 3 << 20))) { bed in
            try await bed.changeSettings { $0.reserve = .max }
            let transfer = try await bed.add()
            let waiting = try await bed.wait(for: transfer.id, waiting: .disk)
            #expect(waiting.error?.details.required == .max)
        }
    }

    @Test(arguments: NumberText.session)
    func `a setting of a session is refused or used`(key: String) async throws {
        try await withService(.inProcess, Self.script, Self.quick) { bed in
            for number in NumberText.json(for: key) {
                let text = #"{"\#(key)":\#(number)}"#
                guard let settings = try? APIJSON.decoder.decode(SessionSettings.self, from: Data(text.utf8)),
                    (try? await bed.service.changeSession(.cli, to: settings)) != nil
                else { continue }
                try await finish(try await bed.add(), bed)
            }
        }
    }

    private static let heads = [
        "200 OK\r\nContent-Length: #", "200 OK\r\nContent-Length: 5\r\nAge: #",
        "503 Later\r\nContent-Length: 0\r\nRetry-After: #",
        "206 Part\r\nContent-Length: 5\r\nContent-Range: bytes 0-4/#",
        "206 Part\r\nContent-Length: 5\r\nContent-Range: bytes 0-#/5",
        "206 Part\r\nContent-Length: 5\r\nContent-Range: bytes #-4/5",
        "416 No\r\nContent-Length: 0\r\nContent-Range: bytes */#",
        "302 Go\r\nContent-Length: 0\r\nLocation: /file.bin\r\nSet-Cookie: a=b; Max-Age=#",
        "200 OK\r\nTransfer-Encoding: chunked\r\nX-Chunk: #",
        "200 OK\r\nContent-Length: 5\r\nKeep-Alive: timeout=#, max=#",
        "200 OK\r\nContent-Length: 5\r\nStrict-Transport-Security: max-age=#", "# OK\r\nContent-Length: 5",
    ]

    @Test(arguments: heads)
    func `a number in a server's head is refused or used`(head: String) async throws {
        let answers = NumberText.whole.enumerated().map { index, number in
            let isChunked = head.contains("chunked")
            let text =
                "HTTP/1.1 " + head.replacing("#", with: number) + "\r\nConnection: close\r\n\r\n"
                + (isChunked ? "\(number)\r\nhello\r\n0\r\n\r\n" : "hello")
            return OriginRule.on(.path("/\(index)"), .raw(Array(text.utf8)))
        }
        try await withService(.inProcess, OriginScript(Self.body, rules: answers), Self.quick) { bed in
            for index in answers.indices {
                try await finish(try await bed.add("/\(index)") { $0.timing.retries = 1 }, bed)
            }
        }
    }

    /// For a server's date in the year 9999, the modification time in nanoseconds overflows.
    @Test(arguments: [
        "Fri, 31 Dec 9999 23:59:59 GMT", "Thu, 01 Jan 1970 00:00:00 GMT", "Sat, 01 Jan 0000 00:00:00 GMT",
    ])
    func `a file is dated to any year`(date: String) async throws {
        try await withService(.inProcess, OriginScript(Self.body, always: .lastModified(date))) { bed in
            for policy in [ConflictPolicy.replace, .update, .replace] {
                let transfer = try await bed.add {
                    $0.file.remoteTime = true
                    $0.file.onConflict = policy
                }
                try await bed.wait(for: transfer.id, .succeeded)
            }
        }
    }
}
