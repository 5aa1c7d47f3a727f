// Ferry: FerryAPITests
// The JSON of sessions that outlive their apps.

import FerryAPI
import FerryCore
import Foundation
import Testing

@Suite struct `Signals and quits as JSON` {
    private func check<Value: Codable & Equatable>(_ value: Value, _ golden: String) throws {
        #expect(String(decoding: try APIJSON.encoder.encode(value), as: UTF8.self) == golden)
        #expect(try APIJSON.decoder.decode(Value.self, from: Data(golden.utf8)) == value)
    }

    @Test func `signals to a session's process`() throws {
        try check(
            SessionSignal.attached(.init(lastTask: 3, handlesEvents: true)),
            #"{"attached":{"handles_events":true,"last_task":3}}"#)
        let event = TransferEvent(
            number: 4, kind: .removed, at: Date(timeIntervalSince1970: 0), id: TransferID(rawValue: 1), session: .cli,
            transfer: nil)
        try check(
            SessionSignal.event(event),
            #"{"event":{"at":"1970-01-01T00:00:00.000Z","id":"0000000000000001","kind":"removed","number":4,"#
                + #""session":"cli"}}"#)
        try check(SessionSignal.idle, #"{"idle":true}"#)
        #expect(try APIJSON.decoder.decode(SessionSignal.self, from: Data(#"{"newer":1}"#.utf8)) == .idle)
    }

    @Test func `signals to a run loop`() throws {
        try check(ApplicationSignal.connected, #"{"connected":true}"#)
        try check(ApplicationSignal.handleEvents(session: "s"), #"{"handle_events":"s"}"#)
        try check(ApplicationSignal.idle, #"{"idle":true}"#)
        #expect(try APIJSON.decoder.decode(ApplicationSignal.self, from: Data(#"{"newer":1}"#.utf8)) == .idle)
    }

    @Test func `what is quit`() throws {
        try check(QuitSessions.Request(.session(.cli)), #"{"session":"cli"}"#)
        try check(QuitSessions.Request(.application("app")), #"{"application":"app"}"#)
        for wrong in ["{}", #"{"session":"a","application":"b"}"#] {
            #expect(throws: TransferError.self) {
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
        #expect(throws: TransferError.self) { try SessionAttachment(items: []) }
        #expect(throws: TransferError.self) { try SessionAttachment(items: [QueryItem("other", "1")]) }
    }

    @Test func `a connection survives the wire`() throws {
        for session in [nil, "s"] {
            let connection = ApplicationConnection(application: "app", process: 7, launchedFor: session)
            #expect(try ApplicationConnection("app", items: connection.items) == connection)
        }
        #expect(throws: TransferError.self) { try ApplicationConnection("app", items: [QueryItem("process", "-1")]) }
    }
}
