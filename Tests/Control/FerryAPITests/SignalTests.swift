import FerryAPI
import FerryCore
import Foundation
import Testing

@Suite struct `Signals and quits as JSON` {
    private func check<Value: Codable & Equatable>(_ value: Value, _ golden: String) throws {
        #expect(String(decoding: try APIJSON.bytes(value), as: UTF8.self) == golden)
        #expect(try APIJSON.decoder.decode(Value.self, from: Data(golden.utf8)) == value)
    }

    @Test func `signals to a session's process`() throws {
        try check(
            SessionSignal.attached(.init(lastTask: 3, handlesEvents: true)),
            #"{"attached":{"handles_events":true,"history":0,"last_task":3,"order":[]}}"#)
        try check(
            SessionSignal.attached(.init(lastTask: 0, handlesEvents: false, order: [TransferID(rawValue: 9)])),
            #"{"attached":{"handles_events":false,"history":0,"last_task":0,"order":["0000000000000009"]}}"#)
        let plain = #"{"attached":{"handles_events":true,"last_task":3}}"#
        #expect(
            try APIJSON.decoder.decode(SessionSignal.self, from: Data(plain.utf8))
                == .attached(.init(lastTask: 3, handlesEvents: true)))
        let event = TransferEvent(
            number: 4, kind: .removed, at: Date(timeIntervalSince1970: 0), id: TransferID(rawValue: 1), session: .cli,
            transfer: nil)
        try check(
            SessionSignal.event(event),
            #"{"event":{"at":"1970-01-01T00:00:00.000Z","id":"0000000000000001","kind":"removed","number":4,"#
                + #""session":"cli"}}"#)
        try check(
            SessionSignal.batch(
                EventBatch(
                    kind: .resumed, through: 9, ids: [TransferID(rawValue: 1), TransferID(rawValue: .max)])),
            #"{"batch":{"ids":["0000000000000001","ffffffffffffffff"],"kind":"resumed","through":9}}"#)
        try check(SessionSignal.held(lastTask: 7), #"{"held":{"last_task":7}}"#)
        try check(SessionSignal.idle, #"{"idle":true}"#)
        #expect(try APIJSON.decoder.decode(SessionSignal.self, from: Data(#"{"newer":1}"#.utf8)) == .idle)
    }

    @Test func `signals to a run loop`() throws {
        try check(ApplicationSignal.connected, #"{"connected":true}"#)
        try check(ApplicationSignal.handleEvents(session: "s"), #"{"handle_events":"s"}"#)
        try check(ApplicationSignal.idle, #"{"idle":true}"#)
        #expect(try APIJSON.decoder.decode(ApplicationSignal.self, from: Data(#"{"newer":1}"#.utf8)) == .idle)
    }

    @Test func `ids that follow each other are one text`() throws {
        let ids: [UInt64] = [7, 8, 9, 3, 5, 5, .max - 1, .max, 0]
        try check(
            TransferIDRuns(ids.map(TransferID.init)),
            #"["0000000000000007+2","0000000000000003","0000000000000005","0000000000000005","#
                + #""fffffffffffffffe+1","0000000000000000"]"#)
        try check(TransferIDRuns([]), "[]")
    }

    @Test(arguments: [
        "7", "0000000000000007+", "0000000000000007+-1", "ffffffffffffffff+1", "0000000000000007+99999999999999999999",
    ])
    func `a text that names no ids, or more than there are, is refused`(text: String) {
        #expect(throws: DecodingError.self) {
            try APIJSON.decoder.decode(TransferIDRuns.self, from: Data(#"["\#(text)"]"#.utf8))
        }
    }

    @Test func `batches and actions on many`() throws {
        var batch = TransferBatch(
            templates: [],
            items: [TransferBatch.Item(template: 0, url: "u"), TransferBatch.Item(template: 1, url: "v")])
        batch.items.each[1].folder = "/f"
        batch.items.each[1].name = "n"
        batch.items.each[1].data = "d"
        try check(
            batch,
            #"{"items":{"data":[null,"d"],"folder":[null,"/f"],"name":[null,"n"],"template":[0,1],"url":["u","v"]},"#
                + #""templates":[]}"#)
        try check(
            TransferBatch(
                templates: [],
                items: ["u", "v"].map { TransferBatch.Item(template: 0, url: $0, name: $0, data: $0) }),
            #"{"items":{"data":["u","v"],"name":["u","v"],"url":["u","v"]},"templates":[]}"#)
        try check(
            TransferBatch.Report(
                [
                    TransferBatch.Result(id: TransferID(rawValue: 1)),
                    TransferBatch.Result(error: ServiceError(.invalidURL, "No.")),
                ], lastEvent: 4),
            #"{"last_event":4,"runs":[{"count":1,"first":"0000000000000001"},"#
                + #"{"count":1,"error":{"code":"invalid_url","message":"No."}}]}"#)
        try check(
            ActOnSession.Request(action: .removeWithFile, ids: [TransferID(rawValue: 1)]),
            #"{"action":"remove_with_file","ids":["0000000000000001"]}"#)
        try check(
            SessionAction.Report(lastEvent: 4, failures: [ActionResult(id: TransferID(rawValue: 1))]),
            #"{"failures":[{"id":"0000000000000001"}],"last_event":4}"#)
    }

    @Test func `what is quit`() throws {
        try check(QuitSessions.Request(.session(.cli)), #"{"session":"cli"}"#)
        try check(QuitSessions.Request(.application("app")), #"{"application":"app"}"#)
        for wrong in ["{}", #"{"session":"a","application":"b"}"#] {
            #expect(throws: ServiceError.self) {
                try APIJSON.decoder.decode(QuitSessions.Request.self, from: Data(wrong.utf8))
            }
        }
    }

    @Test func `how an app is started`() throws {
        try check(
            ChangeApplication.Request(
                launch: LaunchCommand(arguments: ["/a", "b"], workingFolder: "/f", environment: ["K": "v"])),
            #"{"launch":{"arguments":["/a","b"],"environment":{"K":"v"},"working_folder":"/f"}}"#)
        #expect(
            try APIJSON.decoder.decode(ChangeApplication.Request.self, from: Data(#"{"launch":null}"#.utf8)).launch
                == nil)
    }
}

@Suite struct `Queries of apps` {
    @Test func `an attachment survives the wire`() throws {
        for connections in [nil, 3] {
            let attachment = SessionAttachment(
                application: "/opt/a b&c", identifier: "i=1", process: 7, isBackgroundLaunched: true,
                sendsLaunchEvents: false, connectionsPerHost: connections, progressInterval: 0.5)
            #expect(
                try SessionAttachment(items: QueryItem.decode(QueryItem.encode(attachment.items))) == attachment)
        }
        var manager = SessionAttachment(
            application: "app", identifier: "i", process: 7, isBackgroundLaunched: false, sendsLaunchEvents: true,
            connectionsPerHost: nil)
        #expect(try manager.session().name == "app/i")
        manager.isManager = true
        #expect(try SessionAttachment(items: manager.items) == manager)
        #expect(try manager.session().name == "app:i")
        #expect(throws: ServiceError.self) { try SessionAttachment(items: []) }
        #expect(throws: ServiceError.self) { try SessionAttachment(items: [QueryItem("other", "1")]) }
    }

    @Test func `a connection survives the wire`() throws {
        for session in [nil, "s"] {
            let connection = ApplicationConnection(application: "app", process: 7, launchedFor: session)
            #expect(try ApplicationConnection("app", items: connection.items) == connection)
        }
        #expect(throws: ServiceError.self) { try ApplicationConnection("app", items: [QueryItem("process", "-1")]) }
    }
}
