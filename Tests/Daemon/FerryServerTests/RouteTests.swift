import FerryAPI
import FerryCore
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Routes` {
    private let request = #"{"url":"http://a.example/f","folder":"/tmp"}"#

    @Test func `the version names daemon and API`() async throws {
        try await withServer { client in
            let response = try await client.send("GET", "/v1/version")
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == "application/json")
            #expect(response.headers["date"].flatMap(HTTPDate.parse) != nil)
            #expect(
                try response.value(GetVersion.Response.self)
                    == GetVersion.Response(version: FerryVersion.current, api: 1, lastEvent: 0))
        }
    }

    @Test func `a transfer is added, shown, changed and removed`() async throws {
        try await withServer { client in
            let added = try await client.send("POST", "/v1/transfers", request)
            #expect(added.status == 201)
            let transfer = try added.value(Transfer.self)
            #expect(added.headers["location"] == "/v1/transfers/\(transfer.id)")

            let shown = try await client.send("GET", "/v1/transfers/\(transfer.id)")
            #expect(try shown.value(Transfer.self) == transfer)

            let changed = try await client.send("PATCH", "/v1/transfers/\(transfer.id)", #"{"priority":"high"}"#)
            #expect(try changed.value(Transfer.self).priority == .high)

            let removed = try await client.send("DELETE", "/v1/transfers/\(transfer.id)")
            #expect(try removed.value(ActionResult.self) == ActionResult(id: transfer.id))

            let gone = try await client.send("GET", "/v1/transfers/\(transfer.id)")
            #expect(gone.status == 404)
            #expect(try gone.error().code == .unknownTransfer)
        }
    }

    @Test func `a request that the service refuses has the status of its code`() async throws {
        let service = FakeService { state in
            state.answers.refusal = { _ in ServiceError(.destinationUnwritable, "It is read-only.") }
        }
        try await withServer(service) { client in
            let response = try await client.send("POST", "/v1/transfers", request)
            #expect(response.status == ErrorCode.destinationUnwritable.row.httpStatus)
            #expect(try response.error().code == .destinationUnwritable)
        }
    }

    @Test func `a batch and an action on many are answered item by item`() async throws {
        try await withServer(FakeService { $0.lastEvent = 7 }) { client in
            let batch = #"{"templates":[{"url":"","folder":"/tmp"}],"items":{"url":["http://a/"]}}"#
            let report = try await client.send("POST", "/v1/submissions", batch).value(TransferBatch.Report.self)
            #expect(report.results.map(\.id) == [TransferID(rawValue: 1)] && report.lastEvent == 7)
            let acted = try await client.send(
                "POST", "/v1/sessions/a%3Ab/actions", #"{"action":"start","ids":["0000000000000001"]}"#)
            #expect(try acted.value(SessionAction.Report.self).failures.map(\.error?.code) == [.unknownTransfer])
        }
    }

    @Test(arguments: ["http://a/1\nhttp://a/2\nnone\n", "http://a/1\r\nhttp://a/2\r\n\r\nnone"])
    func `a list of URLs is answered with runs`(urls: String) async throws {
        try await withServer { client in
            let body = #"{"url":"","folder":"/tmp"}"# + "\n" + urls
            let report = try await client.send("POST", "/v1/lists", type: "text/plain", body)
                .value(TransferBatch.Report.self)
            #expect(report.runs.map(\.count) == [2, 1] && report.ids == [1, 2].map(TransferID.init))
            #expect(report.runs.map(\.error?.code) == [nil, .invalidURL])
        }
    }

    @Test(arguments: ["", "http://a/1\n", #"{"url":"","folders":"/tmp"}"#])
    func `a list without a request is refused`(body: String) async throws {
        try await withServer { client in
            let response = try await client.send("POST", "/v1/lists", type: "text/plain", body)
            #expect(response.status == 400)
            #expect(try response.error().code == .invalidRequest)
        }
    }

    @Test(arguments: [
        #"{"templates":[],"items":{"url":[]},"item":1}"#,
        #"{"templates":[{"url":"","folder":"/","folders":1}],"items":{"url":[]}}"#,
        #"{"templates":[{"url":"","folder":"/"}],"items":{"url":["http://a/"],"names":["n"]}}"#,
        #"{"templates":[{"url":"","folder":"/"}],"items":{"url":["http://a/"],"name":[]}}"#,
    ])
    func `a batch's misspelt key, or a list of another length, is refused`(body: String) async throws {
        try await withServer { client in
            let response = try await client.send("POST", "/v1/submissions", body)
            #expect(response.status == 400)
            #expect(try response.error().code == .invalidRequest)
        }
    }

    @Test func `a list passes its whole query on`() async throws {
        let service = FakeService()
        try await withServer(service) { client in
            let response = try await client.send(
                "GET", "/v1/transfers?session=a%2Fb&state=running,failed&state=waiting&tag=x+y&limit=7&order=newest")
            #expect(response.status == 200)
        }
        var wanted = TransferQuery()
        wanted.session = try SessionID("a/b")
        wanted.states = [.running, .failed, .waiting]
        wanted.tag = "x+y"
        wanted.limit = 7
        wanted.newestFirst = true
        #expect(service.lists == [wanted])
    }

    @Test func `actions name what became of each transfer`() async throws {
        try await withServer { client in
            let id = try await client.send("POST", "/v1/transfers", request).value(Transfer.self).id
            let response = try await client.send(
                "POST", "/v1/actions", #"{"action":"pause","ids":["\#(id)","00000000000000ff"]}"#)
            let results = try response.value(ActOnTransfers.Response.self).results
            #expect(results.map(\.state) == [.suspended, nil])
            #expect(results.map(\.error?.code) == [nil, .unknownTransfer])
        }
    }

    @Test func `a session's name is percent-encoded in the path`() async throws {
        let name = try SessionID("com.example/über")
        let service = FakeService {
            $0.settingsOfSessions[name] = SessionSettings(rateLimit: 70_000, hostConnections: 3)
        }
        try await withServer(service) { client in
            let target = AcknowledgeEvents.route.target(name.name)
            let response = try await client.send("POST", target, #"{"through":12}"#)
            #expect(response.status == 200)
            #expect(service.acknowledged == [name: 12])

            let limits = try await client.send(
                "PATCH", ChangeSession.route.target(name.name), #"{"active_transfers":2}"#)
            let info = try limits.value(SessionInfo.self)
            #expect(info.id == name)
            // Settings missing from the body are unchanged.
            #expect(info.settings == SessionSettings(activeTransfers: 2, rateLimit: 70_000, hostConnections: 3))
        }
    }

    @Test func `the parts of the queue are listed and counted, and a transfer is moved`() async throws {
        try await withServer { client in
            let first = try await client.send("POST", "/v1/transfers", request).value(Transfer.self).id
            let second = try await client.send("POST", "/v1/transfers", request).value(Transfer.self).id
            let page = try await client.send("GET", "/v1/queue?part=waiting&offset=1&limit=5")
            #expect(try page.value(TransferPage.self).transfers.map(\.id) == [second])
            #expect(try await client.send("GET", "/v1/queue").error().code == .invalidRequest)
            let short = try await client.send("GET", "/v1/queue?part=waiting&omit=usual")
            #expect(
                try short.status == 200 && !short.text.contains("redirects")
                    && short.value(TransferPage.self).transfers.count == 2)
            let ranges = try await client.send("GET", "/v1/transfers/\(first)/ranges")
            #expect(ranges.text == "{\"durable\":[]}\n")
            let shown = try await client.send("GET", "/v1/transfers/\(first)/request").value(ShownRequest.self)
            #expect(shown.withheld == [] && shown.request.url == "http://a.example/f")
            #expect(
                try await client.send("GET", "/v1/transfers/0000000000000001/request").error().code == .unknownTransfer)
            func move(_ id: TransferID, _ body: String) async throws -> RawResponse {
                try await client.send("POST", "/v1/transfers/\(id)/move", body)
            }
            #expect(try await move(first, #"{"offset":4}"#).value(MoveTransfer.Response.self).place == 1)
            #expect(
                try await move(first, #"{"offset":-1,"from":"end"}"#).value(MoveTransfer.Response.self).place == 0)
            #expect(try await move(first, #"{"offset":0,"from":"middle"}"#).error().code == .invalidRequest)
            #expect(try await move(first, #"{"place":0}"#).error().code == .invalidRequest)
            #expect(try await move(TransferID(rawValue: 1), #"{"offset":0}"#).error().code == .unknownTransfer)
            // A transfer that has ended has no place.
            _ = try await client.send("POST", "/v1/actions", #"{"action":"cancel","ids":["\#(second)"]}"#)
            #expect(try await move(second, #"{"offset":0}"#).value(MoveTransfer.Response.self).place == nil)
            let counts = try await client.send("GET", "/v1/queue/counts?session=cli").value(QueueCounts.self)
            #expect(counts == QueueCounts(active: 0, waiting: 1, ended: 1))
            let others = try await client.send("GET", "/v1/queue/counts?session=other").value(QueueCounts.self)
            #expect(others == QueueCounts(active: 0, waiting: 0, ended: 0))
        }
    }

    @Test func `settings are changed and refused`() async throws {
        try await withServer { client in
            let changed = try await client.send("PATCH", "/v1/settings", #"{"active_transfers":3}"#)
            #expect(try changed.value(ServiceSettings.self).activeTransfers == 3)
            let refused = try await client.send("PATCH", "/v1/settings", #"{"active_transfers":0}"#)
            #expect(refused.status == 400)
            #expect(try await client.send("GET", "/v1/settings").value(ServiceSettings.self).activeTransfers == 3)
        }
    }

    @Test func `sessions and status are shown`() async throws {
        try await withServer(FakeService { $0.settingsOfSessions[.cli] = SessionSettings() }) { client in
            let sessions = try await client.send("GET", "/v1/sessions").value([SessionInfo].self)
            #expect(sessions.map(\.id) == [.cli])
            let status = try await client.send("GET", "/v1/status").value(ServiceStatus.self)
            #expect(status.pid == getpid())
        }
    }

    @Test func `HEAD answers like GET, without the body`() async throws {
        try await withServer { client in
            let response = try await client.send("HEAD", "/v1/version")
            #expect(response.status == 200)
            #expect(response.body.isEmpty)
        }
    }

    @Test func `every route of the table is served`() async throws {
        try await withServer { client in
            for route in Route.all where route != StreamEvents.route {
                let response = try await client.send(route.method.rawValue, route.target("0000000000000001"), "{}")
                let missing = try? response.error()
                #expect(response.status != 405 && missing?.message.hasPrefix("There is nothing") != true, "\(route)")
            }
        }
    }
}
