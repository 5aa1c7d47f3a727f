import FerryCore
import FerryRules
import Foundation
import Testing

@Suite struct `Upload machine` {
    private let url: HTTPURL
    private let resource = "https://a.example/uploads/1"

    init() throws { url = try HTTPURL(parsing: "https://a.example/in") }

    private func machine(
        _ facts: UploadFacts? = nil, method: String = "PUT", length: Int64 = 1000, policy: RedirectPolicy = .init()
    ) -> UploadMachine {
        UploadMachine(facts, url: url.string, method: method, length: length, policy: policy)
    }

    private func known(offset: Int64 = 0, reach: Int64 = 1000) -> UploadFacts {
        var facts = UploadFacts(url: url.string)
        (facts.resource, facts.offset, facts.frontier, facts.reach) = (resource, offset, offset, reach)
        return facts
    }

    private func head(_ status: Int, _ fields: KeyValuePairs<String, String> = [:]) -> ResponseHead {
        ResponseHead(
            status: status, fields: fields.map { HeaderField(name: $0.key, value: $0.value) }, url: url.string,
            origin: url.origin)
    }

    /// Returns the next step of a copy of the machine after a response head.
    private func step(_ machine: UploadMachine, _ head: ResponseHead) -> UploadMachine.Step {
        var machine = machine
        return machine.answered(head, from: url)
    }

    private func code(_ step: UploadMachine.Step) -> ErrorCode? {
        if case .fail(let error) = step { error.code } else { nil }
    }

    @Test func `the first request is the caller's own, with all of the content`() {
        let machine = machine()
        #expect(machine.request == .create(until: 1000))
        #expect(machine.request.method == nil)
        let fields = machine.request.fields(.newest, length: 1000)
        #expect(
            fields.map { "\($0.name): \($0.value)" } == [
                "Upload-Draft-Interop-Version: 8", "Upload-Complete: ?1", "Upload-Length: 1000",
            ])
    }

    @Test(arguments: [
        (UploadVersion.three, ["Upload-Draft-Interop-Version: 3", "Upload-Incomplete: ?1", "Upload-Offset: 10"]),
        (.five, ["Upload-Draft-Interop-Version: 5", "Upload-Complete: ?0", "Upload-Offset: 10"]),
        (
            .six,
            [
                "Upload-Draft-Interop-Version: 6", "Upload-Complete: ?0", "Upload-Offset: 10",
                "Content-Type: application/partial-upload",
            ]
        ),
    ])
    func `a part has the fields of its version`(version: UploadVersion, fields: [String]) {
        let request = UploadRequest.append(from: 10, until: 20)
        #expect(request.fields(version, length: 30).map { "\($0.name): \($0.value)" } == fields)
        #expect(request.method == "PATCH")
    }

    @Test func `a server that knows nothing of it answers as always`() {
        for status in [200, 201, 204, 302, 400, 403, 404, 500] {
            #expect(step(machine(), head(status)) == .accept, "\(status)")
        }
    }

    @Test func `104 names the upload resource, and an attempt after a cut asks it`() {
        var first = machine()
        first.begins()
        let answer1 = first.informed(
            head(104, ["Location": "/uploads/1", "Upload-Draft-Interop-Version": "6"]), from: url, sent: 300)
        #expect(answer1)
        #expect(first.isResumable)
        let answer2 = first.informed(head(104, ["Upload-Offset": "300"]), from: url, sent: 300)
        #expect(!answer2)
        #expect(first.facts.frontier == 300)
        first.ended(at: 700, before: 0)
        #expect(first.facts.reach == 700)
        var second = machine(first.facts)
        #expect(second.request == .offset)
        #expect(second.facts.version == .six)
        let answer3 = second.answered(head(204, ["Upload-Offset": "650", "Upload-Complete": "?0"]), from: url)
        #expect(answer3 == .send(.append(from: 650, until: 1000)))
        let answer4 = second.answered(head(200, ["Upload-Complete": "?1"]), from: url)
        #expect(answer4 == .accept)
    }

    @Test(arguments: [
        ("http://a.example/uploads/1", "plain HTTP after TLS"), ("https://192.168.1.4/uploads/1", "a private address"),
        ("ftp://a.example/1", "another scheme"), ("", "no URL"),
    ])
    func `an upload resource where no redirect may lead is not used`(location: String, why: String) {
        var machine = machine()
        let answer5 = machine.informed(head(104, ["Location": location]), from: url, sent: 300)
        #expect(!answer5, "\(why)")
        #expect(!machine.isResumable)
    }

    @Test func `a second resource does not take the place of the first`() {
        var machine = machine()
        _ = machine.informed(head(104, ["Location": "/uploads/1"]), from: url, sent: 300)
        let answer6 = machine.informed(head(104, ["Location": "/uploads/2"]), from: url, sent: 300)
        #expect(!answer6)
        #expect(machine.facts.resource == resource)
    }

    @Test(arguments: [("701", 700), ("-1", 700), ("1001", 1000), ("999999999999999", 1000)])
    func `an offset beyond what was sent ends the upload`(offset: String, reach: Int64) {
        var machine = machine(known(reach: reach))
        let step = machine.answered(head(204, ["Upload-Offset": offset]), from: url)
        #expect(code(step) == .uploadConflict)
    }

    @Test(arguments: ["", "abc", "1, 2", "9999999999999999", "1.5", "+3"])
    func `an offset that is no number ends the attempt`(offset: String) {
        var machine = machine(known())
        let answer7 = machine.answered(head(204, ["Upload-Offset": offset]), from: url)
        #expect(code(answer7) == .badResponse)
    }

    @Test func `an offset that goes back is followed`() {
        var machine = machine(known(offset: 800))
        let step = machine.answered(head(204, ["Upload-Offset": "100"]), from: url)
        #expect(step == .send(.append(from: 100, until: 1000)))
        #expect(machine.facts.frontier == 800)
    }

    @Test func `a server that never gets further ends the attempt`() {
        var machine = machine(known())
        _ = machine.answered(head(204, ["Upload-Offset": "0"]), from: url)
        var steps: [UploadMachine.Step] = []
        for _ in 0...UploadMachine.mostWithoutProgress {
            steps.append(machine.answered(head(409, ["Upload-Offset": "0"]), from: url))
        }
        #expect(steps.last.flatMap(code) == .badResponse)
        #expect(steps.first == .send(.append(from: 0, until: 1000)))
    }

    @Test func `parts keep to the limit that the server states`() {
        var machine = machine()
        machine.begins()
        let answer8 = machine.answered(head(413, ["Upload-Limit": "max-append-size=400, max-age=3600"]), from: url)
        #expect(answer8 == .send(.create(until: 400)))
        let made = head(
            201, ["Location": "/uploads/1", "Upload-Complete": "?0", "Upload-Offset": "400"])
        let answer9 = machine.answered(made, from: url)
        #expect(answer9 == .send(.append(from: 400, until: 800)))
        machine.begins()
        let taken = head(204, ["Upload-Complete": "?0", "Upload-Offset": "800"])
        let answer10 = machine.answered(taken, from: url)
        #expect(answer10 == .send(.append(from: 800, until: 1000)))
        #expect(
            machine.request.fields(.newest, length: 1000).contains(HeaderField(name: "Upload-Complete", value: "?1")))
    }

    @Test func `content that is larger than the server takes ends the upload at once`() {
        var machine = machine()
        let answer11 = machine.answered(head(413, ["Upload-Limit": "max-size=999"]), from: url)
        #expect(code(answer11) == .tooLarge)
    }

    @Test(arguments: [404, 410]) func `a resource that is gone makes the upload begin again`(status: Int) {
        var machine = machine(known(offset: 500))
        let answer12 = machine.answered(head(status), from: url)
        #expect(answer12 == .send(.create(until: 1000)))
        #expect(machine.facts.restarts == 1)
        #expect(machine.facts.reach == 0)
    }

    @Test func `an upload that may have arrived is not made again by a method that forbids it`() {
        var machine = machine(known(offset: 500, reach: 1000), method: "POST")
        let answer13 = machine.answered(head(404), from: url)
        #expect(code(answer13) == .notFound)
    }

    @Test func `an upload whose answer was lost is done`() {
        var machine = machine(known(offset: 500))
        let answer14 = machine.answered(head(204, ["Upload-Offset": "1000", "Upload-Complete": "?1"]), from: url)
        #expect(answer14 == .accept)
        #expect(machine.facts.offset == 1000)
        var liar = self.machine(known(offset: 500))
        let half = head(204, ["Upload-Offset": "600", "Upload-Complete": "?1"])
        let answer15 = liar.answered(half, from: url)
        #expect(code(answer15) == .uploadConflict)
    }

    @Test(arguments: [500, 502, 503, 504, 429])
    func `a busy upload resource is asked again later`(status: Int) {
        var asking = machine(known())
        let answer16 = asking.answered(head(status), from: url)
        #expect(code(answer16) == .serverBusy)
        // With the same status, a response of the resource itself is a result.
        let answer17 = asking.answered(head(204, ["Upload-Offset": "10"]), from: url)
        #expect(answer17 != .accept)
        let answer18 = asking.answered(head(status, ["Upload-Complete": "?1"]), from: url)
        #expect(answer18 == .accept)
    }

    @Test func `a server of an earlier version is asked again in that version, once`() {
        var machine = machine()
        let refusal = head(400, ["Upload-Draft-Interop-Version": "6"])
        let answer19 = machine.answered(refusal, from: url)
        #expect(answer19 == .send(.create(until: 1000)))
        #expect(machine.facts.version == .six)
        let other = head(400, ["Upload-Draft-Interop-Version": "5"])
        let answer20 = machine.answered(other, from: url)
        #expect(answer20 == .accept)
    }

    @Test func `facts of another URL do not count`() {
        var facts = known(offset: 500)
        facts.url = "https://b.example/in"
        #expect(machine(facts).request == .create(until: 1000))
    }

    @Test func `facts are unchanged by the journal, and foreign ones do no harm`() throws {
        var facts = known(offset: 5)
        facts.version = .three
        facts.mostOfPart = 7
        let data = try JSONEncoder().encode(facts)
        #expect(try JSONDecoder().decode(UploadFacts.self, from: data) == facts)
        let later = #"{"url":"https://a.example/in","resource":"https://a.example/uploads/1","version":12,"offset":3}"#
        #expect(try JSONDecoder().decode(UploadFacts.self, from: Data(later.utf8)).resource == nil)
    }

    /// A regression: any success of the last part counted as that of the upload.
    @Test func `the last part is complete only by the server's word`() {
        var machine = machine(known(offset: 500))
        _ = machine.answered(head(204, ["Upload-Offset": "500"]), from: url)
        #expect(machine.request == .append(from: 500, until: 1000))
        machine.begins()
        #expect(step(machine, head(200, ["Upload-Complete": "?1"])) == .accept)
        #expect(step(machine, head(200)) == .send(.offset))
        #expect(step(machine, head(200, ["Upload-Offset": "1000"])) == .send(.offset))
        _ = machine.answered(head(200), from: url)
        #expect(step(machine, head(204, ["Upload-Complete": "?1", "Upload-Offset": "1000"])) == .accept)
        #expect(
            step(machine, head(204, ["Upload-Complete": "?0", "Upload-Offset": "700"]))
                == .send(.append(from: 700, until: 1000)))
    }

    /// A server that has lost its earlier announcement responds to a part as if it were the whole file.
    @Test func `a part is never taken for the whole`() {
        var create = machine()
        create.begins()
        _ = create.answered(head(413, ["Upload-Limit": "max-append-size=400"]), from: url)
        #expect(create.request == .create(until: 400))
        #expect(code(step(create, head(200))) == .badResponse)
        #expect(code(step(create, head(200, ["Upload-Complete": "?1"]))) == .uploadConflict)
        // A rejection counts as the response, whichever part caused it.
        #expect(step(create, head(403, ["Upload-Complete": "?1"])) == .accept)
        var facts = known(offset: 100)
        facts.mostOfPart = 400
        var append = machine(facts)
        _ = append.answered(head(204, ["Upload-Offset": "100"]), from: url)
        #expect(append.request == .append(from: 100, until: 500))
        #expect(code(step(append, head(200, ["Upload-Complete": "?1"]))) == .uploadConflict)
        #expect(step(append, head(200)) == .send(.offset))
    }

    @Test func `an upload that is claimed to be whole before all was sent ends`() {
        #expect(code(step(machine(known(reach: 700)), head(204, ["Upload-Complete": "?1"]))) == .uploadConflict)
    }

    /// If queried later, the upload resource reports completion. That is not a success.
    @Test func `an upload that was refused as a whole is not asked about again`() {
        var machine = machine(known(offset: 500))
        _ = machine.answered(head(204, ["Upload-Offset": "500"]), from: url)
        let answer = machine.answered(head(503, ["Upload-Complete": "?1"]), from: url)
        #expect(answer == .accept)
        #expect(machine.facts.resource == nil)
    }

    @Test func `a request that is made again has an upload resource of its own`() {
        var machine = machine()
        machine.begins()
        _ = machine.informed(head(104, ["Location": "/uploads/1"]), from: url, sent: 0)
        machine.repeats()
        _ = machine.informed(head(104, ["Location": "/uploads/2"]), from: url, sent: 0)
        #expect(machine.facts.resource == "https://a.example/uploads/2")
        #expect(machine.facts.reach == 1000)
    }

    /// After a redirect, the upload resource must not be at the caller's own origin, which would receive its secrets.
    @Test func `another origin cannot name the caller's own`() throws {
        let other = try HTTPURL(parsing: "https://b.example/in")
        var machine = machine()
        _ = machine.informed(head(104, ["Location": "https://a.example/account"]), from: other, sent: 0)
        #expect(!machine.isResumable)
        _ = machine.informed(head(104, ["Location": "https://b.example/1"]), from: other, sent: 0)
        #expect(machine.isResumable)
    }

    @Test func `an offset beyond what has been sent so far is no progress`() {
        var machine = machine()
        machine.begins()
        _ = machine.informed(head(104, ["Location": "/uploads/1"]), from: url, sent: 0)
        _ = machine.informed(head(104, ["Upload-Offset": "301"]), from: url, sent: 300)
        #expect(machine.facts.frontier == 0)
        _ = machine.informed(head(104, ["Upload-Offset": "300"]), from: url, sent: 300)
        #expect(machine.facts.frontier == 300)
    }

    /// With each response the server takes one more byte, and each time that it is queried it has lost the upload.
    @Test func `a server that begins again and again ends the attempt`() {
        var machine = machine()
        var last = UploadMachine.Step.accept
        for round in 1...40 {
            machine.begins()
            _ = machine.informed(head(104, ["Location": "/uploads/\(round)"]), from: url, sent: 0)
            _ = machine.informed(head(104, ["Upload-Offset": "1"]), from: url, sent: 1000)
            last = machine.answered(head(201, ["Upload-Complete": "?0"]), from: url)
            if case .fail = last { break }
            last = machine.answered(head(404), from: url)
            if case .fail = last { break }
        }
        #expect(code(last) == .badResponse)
    }

    @Test func `a byte more with each answer is no progress`() {
        var machine = machine(known())
        _ = machine.answered(head(204, ["Upload-Offset": "0"]), from: url)
        var answers = 0
        var last = UploadMachine.Step.accept
        for offset in 1...100 {
            last = machine.answered(head(409, ["Upload-Offset": "\(offset)"]), from: url)
            answers += 1
            if case .fail = last { break }
        }
        #expect(code(last) == .badResponse && answers <= UploadMachine.mostWithoutProgress)
    }

    @Test func `facts from elsewhere that name a place where no redirect leads do not count`() {
        var facts = known(offset: 5)
        facts.resource = "http://a.example/uploads/1"
        #expect(machine(facts).request == .create(until: 1000))
        facts = known(offset: 5)
        facts.mostOfPart = -1
        #expect(machine(facts).facts.mostOfPart == nil)
    }

    @Test func `a conflict of the resource itself is an answer`() {
        var machine = machine()
        _ = machine.informed(head(104, ["Location": "/uploads/1"]), from: url, sent: 0)
        #expect(step(machine, head(409)) == .accept)
    }

    /// A server takes parts of a twentieth of the file, and has lost all of it once.
    @Test func `bytes that a server has lost may be sent once more in an attempt`() {
        var facts = known(offset: 950)
        facts.mostOfPart = 50
        var machine = machine(facts)
        var step = machine.answered(head(204, ["Upload-Offset": "0"]), from: url)
        for end in stride(from: 50, through: 950, by: 50) {
            #expect(step == .send(.append(from: Int64(end) - 50, until: Int64(end))))
            step = machine.answered(head(204, ["Upload-Complete": "?0", "Upload-Offset": "\(end)"]), from: url)
        }
        #expect(step == .send(.append(from: 950, until: 1000)))
        // A server that loses it again and again does not keep the attempt alive.
        var answers = 0
        while case .send = step, answers < 200 {
            let offset = answers % 2 == 0 ? 0 : 50
            let status = answers % 2 == 0 ? 409 : 204
            step = machine.answered(
                head(status, ["Upload-Complete": "?0", "Upload-Offset": "\(offset)"]), from: url)
            answers += 1
        }
        #expect(code(step) == .badResponse)
    }
}
