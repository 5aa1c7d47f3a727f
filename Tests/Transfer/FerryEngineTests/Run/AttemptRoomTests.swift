import FerryCore
import FerryRules
import Testing

@testable import FerryEngine

@Suite struct `URLs of an attempt` {
    private func sources(mirrors: Int) -> AttemptSources {
        var request = TransferRequest(url: "http://u:p@home.example/f", folder: "/")
        request.mirrors = (0..<mirrors).map { "http://m\($0).example/f?token=secret" }
        return AttemptSources(request)
    }

    @Test func `S11 are asked one after another, and each once`() {
        var sources = sources(mirrors: 3)
        #expect(sources.current == 0 && sources.others == [1, 2, 3])
        _ = sources.drop(2, "other")
        #expect(sources.others == [1, 3])
        var asked: [Int] = []
        while sources.advance() { asked.append(sources.current) }
        #expect(asked == [1, 3])
        #expect(sources.others == [])
    }

    @Test func `S11 a mirror that is dropped is named without its secrets, and the first URL is not`() {
        var sources = sources(mirrors: 1)
        #expect(sources.drop(1, "another length") == "mirror http://m0.example/f?token= dropped: another length")
        #expect(sources.drop(0, "another length") == nil)
    }

    @Test func `only mirrors that sent bytes are reported`() {
        var sources = sources(mirrors: 2)
        for number in [0, 2, 2] { sources.noteUse(of: number) }
        #expect(sources.usedMirrors == [2])
    }

    @Test func `a URL that cannot be read is an error when it is asked`() throws {
        let sources = AttemptSources(TransferRequest(url: "nonsense", folder: "/"))
        #expect(throws: ServiceError.self) { try sources.url(of: 0) }
    }
}

@Suite struct `The end of an attempt` {
    private let error = ServiceError(.connectionLost, "lost")
    private let other = ServiceError(.offline, "a rule")

    private func word(_ end: AttemptEnding, isFinal: Bool = false) -> String {
        switch end.result(of: error, isFinal: isFinal) {
        case .succeeded: "succeeded"
        case .stopped: "stopped"
        case .challenged: "challenged"
        case .failed(let error, let later):
            error.code.rawValue + (error.errorClass == .final ? " final" : "") + (later.map { " " + $0 } ?? "")
        }
    }

    @Test func `is the first decision: elsewhere, by its user, by its client, by its error`() {
        let challenge = AuthenticationChallenge(
            scheme: .basic, realm: nil, host: "h", port: 80, isSecure: false, isProxy: false)
        let head = ResponseHead(
            status: 503, fields: [HeaderField(name: "Retry-After", value: "7")], url: "http://h/",
            origin: Origin(scheme: "http", host: "h", port: 80))
        var end = AttemptEnding()
        #expect(word(end) == "connection_lost")
        #expect(word(end, isFinal: true) == "connection_lost final")
        end.later = RetryAfterResponse(head)
        #expect(word(end) == "connection_lost 7")
        end.isUnrepeatable = true
        #expect(word(end) == "connection_lost final 7")
        end.challenge = .authentication(challenge)
        #expect(word(end) == "challenged" && !end.isStopping)
        end.stop(with: nil)
        #expect(word(end) == "stopped" && end.isStopping)
        end.stop(with: other)
        #expect(word(end) == "offline")
        end.stop(with: nil)
        #expect(word(end) == "offline")
    }
}

@Suite struct `The digest of an attempt` {
    private func digest(of count: Int) -> RunningDigest {
        var digest = RunningDigest([.sha256])
        let bytes = [UInt8](repeating: 7, count: count)
        unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
        return digest
    }

    @Test func `runs along with what begins where it ends, and with nothing that does not`() {
        var room = AttemptDigest()
        #expect(room.running(from: 0) == nil)
        room.begin([.sha256])
        #expect(room.running(from: 0)?.count == 0)
        room.resume(digest(of: 10))
        #expect(room.running(from: 0) == nil)
        #expect(room.running(from: 10)?.count == 10)
        room.share(missing: 64 << 20)
        #expect(room.running(from: 10) == nil && room.waitsForBytes)
        #expect(room.endSharing() == nil)
        #expect(room.running(from: 10)?.count == 10)
        room.begin()
        #expect(room.running(from: 10) == nil)
    }

    @Test func `follows the written bytes without a gap, in steps`() {
        var room = AttemptDigest()
        room.begin([.sha256])
        let rows: [(written: Int64, end: Int64?)] = [
            ((1 << 20) - 1, nil), (1 << 20, 1 << 20), (1 << 30, 256 << 20),
        ]
        for row in rows { #expect(room.next(after: ByteRangeSet(0..<row.written))?.end == row.end) }
        #expect(room.next(after: ByteRangeSet((1 << 20)..<(8 << 20))) == nil)
    }

    @Test func `is given up where the read bytes are not the expected ones`() {
        for (extended, count) in [(digest(of: 20), 20), (digest(of: 19), nil), (nil, nil)] as [(RunningDigest?, Int64?)]
        {
            var room = AttemptDigest()
            room.begin([.sha256])
            #expect(room.followed(to: 20, extended) == false)
            #expect(room.value?.count == count)
        }
        var lost = AttemptDigest()
        #expect(lost.followed(to: 20, digest(of: 20)) == false)
        #expect(lost.value == nil, "bytes were taken out meanwhile")
    }

    @Test func `I4 counts for the algorithms that it has, and for no more bytes than there are`() {
        var room = AttemptDigest()
        room.resume(digest(of: 10))
        #expect(room.begun([.sha256], size: 10).count == 10)
        #expect(room.begun([.sha256], size: 9).count == 0)
        #expect(room.begun([.sha256, .md5], size: 10).count == 0)
    }
}
