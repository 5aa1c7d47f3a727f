import FerryCore
import Foundation
import Testing

@testable import FerryCommands

@Suite struct `Rendering` {
    private let now = Date(timeIntervalSince1970: 1000)

    @Test(
        arguments: [
            (0, "0 B"), (1023, "1023 B"), (1024, "1.0 KiB"), (1536, "1.5 KiB"), (1_048_575, "1.0 MiB"),
            (12 << 20, "12.0 MiB"), (3 << 29, "1.5 GiB"), (.max, "8.0 EiB"), (-5, "0 B"),
        ] as [(Int64, String)])
    func `bytes are written in powers of 1024`(bytes: Int64, text: String) { #expect(ByteText.of(bytes) == text) }

    @Test(
        arguments: [
            (0, "0:00"), (7.4, "0:07"), (725, "12:05"), (10_800, "3:00:00"), (500_000, "5 d"), (.infinity, "-:--"),
            (.nan, "-:--"), (-3, "0:00"),
        ] as [(Double, String)])
    func `time left is written as on a clock`(seconds: Double, text: String) {
        #expect(TimeText.clock(seconds) == text)
    }

    @Test(arguments: [
        ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("👩‍👩‍👧", 2), ("🇩🇪", 2), ("❤️", 2), ("한", 2), ("", 0),
    ])
    func `width counts columns`(text: String, width: Int) { #expect(text.displayWidth == width) }

    @Test(
        arguments: [
            ("abc", 5, "abc  "), ("abcdefghij", 5, "ab…ij"), ("日本語のファイル", 7, "日… ル "), ("abc", 1, "…"), ("abc", 0, ""),
        ])
    func `text is fitted exactly`(text: String, width: Int, fitted: String) {
        let result = text.fitted(to: width)
        #expect(result.displayWidth == width)
        if text.utf8.count == text.count { #expect(result == fitted) }
    }

    @Test func `a running transfer has name, bar, percent, bytes, speed and time left`() {
        let line = ProgressLine().render(.sample(), width: 90, now: now)
        #expect(line.displayWidth <= 90)
        #expect(line.hasPrefix("file.iso  "))
        for part in ["[##", "25%", "1.0 MiB / 4.0 MiB", "1.0 MiB/s", "0:03"] { #expect(line.contains(part)) }
    }

    @Test func `an unknown length shows bytes and speed only`() {
        var transfer = Transfer.sample()
        transfer.bytesExpected = nil
        let line = ProgressLine().render(transfer, width: 80, now: now)
        #expect(line.contains("1.0 MiB") && line.contains("1.0 MiB/s"))
        #expect(!line.contains("%") && !line.contains("["))
    }

    @Test(
        arguments: [
            (4 << 20, "4.0 MiB in 2 s, 2.0 MiB/s"), (1 << 20, "4.0 MiB, 1.0 MiB received in 2 s, 512.0 KiB/s"),
            (5 << 20, "4.0 MiB in 2 s, 2.0 MiB/s"), (0, "4.0 MiB in 2 s, 2.0 MiB/s"),
        ] as [(Int64, String)])
    func `the mean speed counts what came over the network`(received: Int64, facts: String) {
        var transfer = Transfer.sample()
        (transfer.state, transfer.destination) = (.succeeded, "/tmp/f")
        (transfer.bytesReceived, transfer.bytesSpent) = (4 << 20, received)
        (transfer.times.start, transfer.times.end) = (now, now.addingTimeInterval(2))
        #expect(EndSentence.of(transfer) == "saved: /tmp/f (\(facts))")
    }

    @Test(
        arguments: [1, 5, 10, 20, 40, 60, 79, 200], [TransferState.running, .waiting, .failed, .succeeded, .suspended])
    func `a line never is wider than the terminal`(width: Int, state: TransferState) {
        var transfer = Transfer.sample(url: "https://example.com/%E6%97%A5%E6%9C%AC%E8%AA%9E.iso")
        transfer.state = state
        transfer.reason = state == .waiting ? .retry : nil
        transfer.error = ServiceError(.connectFailed, "example.com refused the connection.")
        #expect(ProgressLine().render(transfer, width: width, now: now).displayWidth <= width)
    }

    @Test func `a wait says its reason, and the time and number of the next attempt`() {
        var transfer = Transfer.sample()
        transfer.state = .waiting
        transfer.reason = .retry
        transfer.error = ServiceError(
            .connectFailed, "example.com refused the connection.", details: ErrorDetails())
        transfer.error?.details.attempts = 3
        transfer.times.nextAttempt = now.addingTimeInterval(8)
        let line = ProgressLine(retries: RetryLimits(usual: 5)).render(transfer, width: 120, now: now)
        #expect(line == "file.iso  waiting: example.com refused the connection; next attempt in 8 s (3 of 5)")
    }

    @Test(arguments: [(0, ECONNREFUSED, "(1 of 2)"), (0, EHOSTUNREACH, "(1 of 5)"), (1, ECONNREFUSED, "(1 of 5)")])
    func `a wait counts by the limit that ends it`(bytes: Int64, cause: Int32, count: String) {
        var transfer = Transfer.sample()
        transfer.state = .waiting
        transfer.reason = .retry
        transfer.bytesReceived = bytes
        transfer.error = ServiceError(.connectFailed, "It failed.", details: ErrorDetails(errno: cause))
        transfer.error?.details.attempts = 1
        let limits = RetryLimits(usual: 5, unreachable: 2)
        #expect(WaitSentence.of(transfer, retries: limits, now: now)?.hasSuffix(count) == true)
    }

    /// A regression: a message with a long URL filled the line and hid the next attempt.
    @Test func `a wait on a narrow terminal cuts the cause and keeps the time of the next attempt`() {
        var transfer = Transfer.sample()
        transfer.state = .waiting
        transfer.reason = .server
        transfer.error = ServiceError(.serverBusy, "The server responded with 503 for https://example.com/file.iso.")
        transfer.error?.details.attempts = 3
        transfer.times.nextAttempt = now.addingTimeInterval(8)
        let line = ProgressLine(retries: RetryLimits(usual: 5)).render(transfer, width: 60, now: now)
        #expect(line == "file.iso  waiting: The server…; next attempt in 8 s (3 of 5)")
        #expect(line.displayWidth == 60)
    }

    /// The server's Retry-After for another transfer delays this one too, and the line shows that.
    @Test func `a transfer that its server holds says why and until when`() {
        var transfer = Transfer.sample()
        transfer.state = .waiting
        transfer.reason = .server
        transfer.attempts = 0
        transfer.times.nextAttempt = now.addingTimeInterval(90)
        let line = ProgressLine().render(transfer, width: 120, now: now)
        #expect(line == "file.iso  waiting: its server, which asks for a pause; next attempt in 90 s")
    }

    @Test(arguments: [(0, "spent:         5.0 MiB"), (3, "spent:         5.0 MiB, with 3 starts from byte 0")])
    func `a page shows what servers have sent`(starts: Int, line: String) {
        var transfer = Transfer.sample()
        transfer.bytesSpent = 5 << 20
        transfer.startedOver = starts
        #expect(TransferRendering.page(transfer, now: now).contains(line))
    }

    @Test func `control characters of a name do not reach the terminal`() {
        var transfer = Transfer.sample()
        transfer.names.chosen = "a\u{1B}[2Jb\nc"
        #expect(transfer.displayName == #"a\u{1b}[2Jb\u{a}c"#)
    }

    @Test func `many transfers take as many lines as the height allows and one that sums up`() {
        var board = ProgressBoard(total: 100)
        for id in 1...50 { _ = board.update(.sample(id: UInt64(id))) }
        var ended = Transfer.sample(id: 51)
        ended.state = .failed
        let hasEnded = board.update(ended)
        #expect(hasEnded)
        let lines = board.lines(width: 79, height: 10, now: now)
        #expect(lines.count == 9)
        #expect(lines.last == "1 of 100 done, 1 failed, 50 running, 49 waiting  50.0 MiB/s")
    }

    /// Release files have names that differ in a number near the end.
    @Test(arguments: [40, 59, 79, 119, 199]) func `names of several transfers stay different at every width`(
        width: Int
    ) {
        var board = ProgressBoard(total: 3)
        for id in 1...3 {
            var transfer = Transfer.sample(id: UInt64(id))
            transfer.names.chosen =
                "the-same-long-beginning-\(id)-of-every-name-and-a-long-common-ending-as-well.tar.gz"
            _ = board.update(transfer, now: now)
        }
        let lines = board.lines(width: width, height: 20, now: now)
        #expect(lines.count == 4)
        #expect(lines.allSatisfy { $0.displayWidth <= width })
        #expect(Set(lines.dropLast().map { $0.prefix { $0 != " " } }).count == 3, "\(lines)")
    }

    @Test(arguments: [59, 79, 119, 199]) func `several transfers have bar, percentage, speed and time left`(
        width: Int
    ) {
        var board = ProgressBoard(total: 3)
        for id in 1...3 {
            var transfer = Transfer.sample(id: UInt64(id))
            transfer.names.chosen = "distribution-\(id)-with-a-long-name-amd64-netinst.iso"
            transfer.bytesPerSecond = 1_040_588
            _ = board.update(transfer, now: now)
        }
        for line in board.lines(width: width, height: 20, now: now).dropLast() {
            for part in [" [#", "] ", " 25%", "  1016.2 KiB/s", " 0:03"] {
                #expect(line.contains(part), "\(line)")
            }
            #expect(line.displayWidth <= width)
        }
    }

    /// A regression: "8.0 MiB1016.2 KiB/s".
    @Test(arguments: [nil, Int64(4 << 30)], [20, 30, 40, 59, 79, 119, 199]) func `facts of a line never run together`(
        size: Int64?, width: Int
    ) {
        var transfer = Transfer.sample()
        (transfer.bytesReceived, transfer.bytesExpected, transfer.bytesPerSecond) = (1023 << 20, size, 1_040_588)
        let line = ProgressLine().render(transfer, width: width, now: now)
        #expect(line.displayWidth <= width)
        for (fact, before) in [("1016.2 KiB/s", true), ("1023.0 MiB", true), ("25%", true)] {
            guard before, let place = line.firstRange(of: fact) else { continue }
            #expect(line[..<place.lowerBound].hasSuffix(" "), "\(line)")
        }
    }

    @Test(arguments: [
        (WaitReason.host, "waiting for earlier transfers to example.com; `ferry limit --per-host NUMBER` allows more"),
        (.slot, "waiting for earlier transfers of this user; `ferry limit --active NUMBER` allows more"),
        (.session, "waiting for earlier transfers of its session; `ferry limit --session cli --active NUMBER`"),
    ]) func `a wait for a turn that lasts a second is said once, with what to type`(reason: WaitReason, words: String) {
        var transfer = Transfer.sample()
        (transfer.state, transfer.reason) = (.waiting, reason)
        var turn = TurnWait()
        #expect(turn.sentence(of: transfer, othersRun: false, now: now) == nil)
        #expect(turn.sentence(of: transfer, othersRun: false, now: now + 0.9) == nil)
        #expect(turn.sentence(of: transfer, othersRun: true, now: now + 1) == nil)
        #expect(turn.sentence(of: transfer, othersRun: false, now: now + 1.5) == nil)
        #expect(turn.sentence(of: transfer, othersRun: false, now: now + 2.5)?.hasPrefix(words) == true)
        #expect(turn.sentence(of: transfer, othersRun: false, now: now + 9) == nil)
    }

    @Test func `a single transfer that waits for its turn says so`() {
        var board = ProgressBoard(total: 1)
        var transfer = Transfer.sample()
        (transfer.state, transfer.reason) = (.waiting, .host)
        _ = board.update(transfer, now: now)
        #expect(board.lines(width: 79, height: 24, now: now) == ["file.iso  waiting: a connection to its server"])
    }

    /// The server may have dropped what an upload has sent, and a download may have to start over.
    @Test(arguments: [(Int64(3 << 20), "file.iso: continues at 2.0 MiB"), (100, "file.iso: starts over from byte 0")])
    func `a log says where a new attempt continues once that is known`(bytes: Int64, line: String) {
        var plain = PlainProgress()
        var transfer = Transfer.sample()
        transfer.bytesReceived = 2 << 20
        _ = plain.line(transfer, now: now)
        (transfer.state, transfer.reason) = (.waiting, .retry)
        _ = plain.line(transfer, now: now + 1)
        (transfer.state, transfer.reason) = (.running, nil)
        #expect(plain.line(transfer, now: now + 2) == "file.iso: trying again")
        transfer.bytesReceived = bytes
        #expect(plain.line(transfer, now: now + 3) == line)
        #expect(plain.line(transfer, now: now + 3.1) == nil)
    }

    @Test func `a file with another name than expected says why`() {
        var transfer = Transfer.sample()
        (transfer.state, transfer.names.chosen, transfer.destination) = (.succeeded, "big.bin", "/home/me/big-1.bin")
        #expect(EndSentence.of(transfer)?.hasSuffix("); big.bin exists already") == true)
        transfer.destination = "/home/me/big.bin"
        #expect(EndSentence.of(transfer)?.contains("exists") == false)
    }

    @Test(arguments: [
        (["a.iso"], 10, ["a.iso"]), (["abcdefghij", "abcdefghik"], 5, ["ab…ij", "ab…ik"]),
        (["abcdef-1-xyz", "abcdef-2-xyz"], 7, ["…1-xyz", "…2-xyz"]),
    ])
    func `short names differ where the names do`(names: [String], width: Int, short: [String]) {
        #expect(ShortNames.of(names, width: width) == short)
    }

    @Test func `a stall says for how long nothing came`() {
        var board = ProgressBoard(total: 1)
        var transfer = Transfer.sample()
        _ = board.update(transfer, now: now)
        #expect(board.lines(width: 79, height: 24, now: now.addingTimeInterval(2)).first?.contains("no data") == false)
        transfer.bytesPerSecond = 0
        _ = board.update(transfer, now: now.addingTimeInterval(10))
        let line = board.lines(width: 79, height: 24, now: now.addingTimeInterval(12)).first ?? ""
        #expect(line.hasSuffix("no data for 12 s"), "\(line)")
        transfer.bytesReceived += 1
        _ = board.update(transfer, now: now.addingTimeInterval(13))
        #expect(board.lines(width: 79, height: 24, now: now.addingTimeInterval(14)).first?.contains("no data") == false)
    }

    @Test(arguments: [50, 60, 80, 200]) func `a list fits the terminal`(width: Int) {
        let transfers = (1...3).map { id in
            var transfer = Transfer.sample(id: UInt64(id))
            transfer.names.chosen = "a-name-that-is-longer-than-most-terminals-have-room-for-and-ends-in-\(id).tar.gz"
            return transfer
        }
        let lines = TransferTable(now: now, width: width).lines(transfers, withTitles: true)
        #expect(lines.allSatisfy { $0.displayWidth <= width }, "\(lines)")
        #expect(Set(lines).count == 4)
        #expect(TransferTable(now: now).lines(transfers, withTitles: false)[0].hasSuffix("in-1.tar.gz"))
    }

    @Test func `a file is called as it is on disk`() {
        var transfer = Transfer.sample()
        (transfer.names.chosen, transfer.destination) = ("big.bin", "/home/me/big-1.bin")
        #expect(transfer.displayName == "big-1.bin")
    }

    @Test func `a full disk says how much is needed`() {
        var transfer = Transfer.sample()
        (transfer.state, transfer.reason) = (.waiting, .disk)
        transfer.error = ServiceError(.diskFull, "5.0 GiB are needed in /d, and 1.0 GiB are free.")
        #expect(
            WaitSentence.of(transfer, now: now) == "disk space: 5.0 GiB are needed in /d, and 1.0 GiB are free")
    }

    @Test(
        arguments: [
            (.expired, "Check this machine's clock; -k leaves certificates unverified."),
            (.selfSigned, "--cacert FILE names the certificate to trust; -k leaves certificates unverified."),
            (.unknownIssuer, "--cacert FILE names the authority to trust; -k leaves certificates unverified."),
            (.otherHost, "-k leaves certificates unverified."), (nil, "-k leaves certificates unverified."),
        ] as [(CertificateProblem?, String)])
    func `a certificate that is not trusted has an option that helps`(problem: CertificateProblem?, words: String) {
        var transfer = Transfer.sample()
        transfer.state = .failed
        var error = ServiceError(.tlsCertificate, "No.")
        error.details.certificate = problem
        transfer.error = error
        #expect(Advice.of([transfer, transfer]) == [words])
    }

    @Test func `another error has no option that helps`() {
        var transfer = Transfer.sample()
        (transfer.state, transfer.error) = (.failed, ServiceError(.connectFailed, "No."))
        #expect(Advice.of([transfer]).isEmpty)
    }

    @Test func `plain lines come with changes of state and now and then`() {
        var plain = PlainProgress(retries: RetryLimits(usual: 5))
        var said: String?
        var transfer = Transfer.sample()
        transfer.bytesReceived = 0
        said = plain.line(transfer, now: now)
        #expect(said == "file.iso: started")
        said = plain.line(transfer, now: now.addingTimeInterval(2))
        #expect(said == nil)
        transfer.bytesReceived = 2 << 20
        said = plain.line(transfer, now: now.addingTimeInterval(3))
        #expect(said == "file.iso: 50%, 2.0 MiB of 4.0 MiB, 1.0 MiB/s")
        said = plain.line(transfer, now: now.addingTimeInterval(4))
        #expect(said == nil)
        said = plain.line(transfer, now: now.addingTimeInterval(14))
        #expect(said != nil)
        transfer.state = .succeeded
        transfer.destination = "/tmp/file.iso"
        said = plain.line(transfer, now: now.addingTimeInterval(15))
        #expect(said == "saved: /tmp/file.iso (2.0 MiB)")
    }

    @Test(
        arguments: [
            (WaitReason.disk, "disk space"), (.network, "the network"), (.power, "external power"), (.slot, nil),
            (.host, nil),
        ] as [(WaitReason, String?)])
    func `plain lines show a wait reason at once, except that others come first`(
        reason: WaitReason, words: String?
    ) {
        var plain = PlainProgress()
        var transfer = Transfer.sample()
        transfer.state = .waiting
        transfer.reason = reason
        var said = plain.line(transfer, now: now)
        #expect(said == words.map { "file.iso: waiting: \($0)" })
        said = plain.line(transfer, now: now.addingTimeInterval(20))
        #expect(said == nil)
        transfer.reason = .beginDate
        said = plain.line(transfer, now: now.addingTimeInterval(21))
        #expect(said == "file.iso: waiting: its time")
    }

    @Test func `a live block hides the cursor while it is drawn and shows it at the end`() {
        var block = LiveBlock()
        var drawn = ""
        drawn = block.draw(["a", "b"])
        #expect(drawn == "\u{1B}[?25la\u{1B}[K\nb\u{1B}[K\u{1B}[J\r")
        drawn = block.draw(above: ["x"], ["c"])
        #expect(drawn == "\u{1B}[1A\rx\u{1B}[K\nc\u{1B}[K\u{1B}[J\r")
        drawn = block.finish()
        #expect(drawn == "\r\u{1B}[J\u{1B}[?25h")
        drawn = block.finish()
        #expect(drawn.isEmpty)
    }

    @Test func `a table lines its columns up`() {
        let table = Table(columns: [.init(title: "A"), .init(title: "N", isNumber: true), .init(title: "NAME")])
        #expect(
            table.lines([["x", "1", "日本"], ["long", "100", "b"]]) == [
                "A       N  NAME", "x       1  日本", "long  100  b",
            ])
    }
}
