import FerryAPI
import FerryCore
import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryServer

@Suite(.timeLimit(.minutes(Mutations.minutes(2)))) struct `The guard of the gateway` {
    // MARK: The tables

    @Test func `has a verdict on each route, action and key, and on no other`() {
        #expect(GatewayTable.routes.union(GatewayTable.refusedRoutes) == Set(Route.all))
        #expect(GatewayTable.routes.isDisjoint(with: GatewayTable.refusedRoutes))
        #expect(Set(GatewayTable.request.keys) == TransferRequest.keys)
        #expect(Set(GatewayTable.change.keys) == TransferChange.keys)
        #expect(Set(GatewayTable.settings.keys) == ServiceSettingsChange.keys)
        #expect(Set(GatewayTable.session.keys) == SessionSettingsChange.keys)
    }

    /// `scripts/docs` cannot know the table, so a test writes it: run with `FERRY_WRITE_TABLES=1`.
    @Test func `is documented as it is`() throws {
        let page = Checkout.file("docs/gateway-access.md")
        var text = try String(contentsOf: page, encoding: .utf8)
        let start = try #require(text.firstRange(of: "## Routes\n")?.lowerBound)
        if ProcessInfo.processInfo.environment["FERRY_WRITE_TABLES"] != nil {
            text.replaceSubrange(start..., with: GatewayTable.text)
            try text.write(to: page, atomically: true, encoding: .utf8)
        }
        #expect(text[start...] == GatewayTable.text)
    }

    @Test func `refuses a key that it does not know`() {
        let error = #expect(throws: ServiceError.self) {
            _ = try GatewayTable.isLimited(["newer": 1], by: GatewayTable.change)
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("newer") == true)
    }

    // MARK: Each route for each kind of client

    private enum Caller: String, CaseIterable {
        case nobody, wrongSecret, secret, token
    }

    @Test(arguments: Route.all + GatewayTable.gatewayRoutes)
    func `offers each route to who may call it`(route: Route) async throws {
        try await withGateway { bed in
            let code = try await bed.gateway.pair().code
            let paired = try await bed.gateway.pair(PairClient.Request(code: code, name: "phone"))
            let token = try #require(paired?.token)
            for caller in Caller.allCases {
                let given: String? =
                    switch caller {
                    case .nobody: nil
                    case .wrongSecret: "0123456789abcdef0123456789abcdef"
                    case .secret: bed.secret
                    case .token: token
                    }
                var fields = ["Content-Type": "application/json", "Connection": "close"]
                if let given { fields["Authorization"] = "Bearer \(given)" }
                // A body or a query that each route refuses, if the route is there at all.
                let hasBody = route.method != .get && route.method != .delete
                let target = hasBody ? route.target("x") : route.target("x") + "?unknown=1"
                let answer = try await bed.send(
                    route.method.rawValue, target, fields, hasBody ? #"{"unknown_key":1}"# : "")
                let isOpen = route == PairClient.route || route == OpenPage.route
                let isOffered =
                    GatewayTable.routes.contains(route) || GatewayTable.gatewayRoutes.contains(route)
                switch caller {
                case .nobody, .wrongSecret: #expect(isOpen ? answer.status == 400 : answer.status == 401, "\(caller)")
                case .secret, .token:
                    let refusals = isOffered ? [401, 403, 405] : [404, 405]
                    #expect(refusals.contains(answer.status) != isOffered, "\(caller): \(answer.status)")
                }
                #expect(answer.headers["x-content-type-options"] == "nosniff")
            }
        }
    }

    // MARK: Each action by each way, inside and outside

    /// Where a transfer's file is.
    enum Place: String, CaseIterable {
        case inside, outside, throughLink, nameOutside

        var isAllowed: Bool { self == .inside }
    }

    /// How a client acts on a transfer.
    enum Way: CaseIterable {
        case patch, patchWithChange, actions, delete
    }

    @Test(arguments: TransferAction.allCases, Place.allCases)
    func `judges the effect of an action, whatever the way`(action: TransferAction, place: Place) async throws {
        try await withFolder { folder in
            let allowed = folder + "/allowed"
            for name in ["allowed", "outside"] {
                try FileManager.default.createDirectory(
                    atPath: folder + "/" + name, withIntermediateDirectories: true)
            }
            try FileManager.default.createSymbolicLink(
                atPath: allowed + "/link", withDestinationPath: folder + "/outside")
            for way in Way.allCases {
                let service = FakeService()
                let id = try await Self.add(to: service)
                service.edit(id) { ($0.folder, $0.destination) = Self.place(place, in: folder) }
                try await withGateway(service, change: { $0.addedFolders = [allowed] }) { bed in
                    guard let (method, path, body) = Self.request(way, action, id) else { return }
                    let answer = try await bed.send(method, path, bed.bearer, body)
                    let isLimited = action == .removeWithFile || way == .patchWithChange
                    let isRefused = isLimited && !place.isAllowed
                    let acted = !service.actions.isEmpty || !service.changes.isEmpty
                    #expect(acted != isRefused, "\(way): \(answer.text)")
                    #expect(!isRefused || answer.text.contains("invalid_request"), "\(way): \(answer.text)")
                    // A link's refusal names its target.
                    if isRefused, place == .throughLink { #expect(answer.text.contains("outside")) }
                }
            }
        }
    }

    private static func add(to service: FakeService) async throws -> TransferID {
        let results = try await service.submit([TransferRequest(url: "http://a.example/f", folder: "/srv/media")])
        guard case .accepted(let transfer)? = results.first else { throw CocoaError(.featureUnsupported) }
        return transfer.id
    }

    private static func place(_ place: Place, in folder: String) -> (folder: String, destination: String) {
        switch place {
        case .inside: (folder + "/allowed/a", folder + "/allowed/a/f")
        case .outside: (folder + "/outside", folder + "/outside/f")
        case .throughLink: (folder + "/allowed/link", folder + "/allowed/link/f")
        case .nameOutside: (folder + "/allowed", folder + "/outside/f")
        }
    }

    private static func request(
        _ way: Way, _ action: TransferAction, _ id: TransferID
    ) -> (method: String, path: String, body: String)? {
        switch way {
        case .patch: ("PATCH", "/v1/transfers/\(id)", #"{"action":"\#(action.rawValue)"}"#)
        case .patchWithChange:
            ("PATCH", "/v1/transfers/\(id)", #"{"action":"\#(action.rawValue)","url":"http://a.example/g"}"#)
        case .actions: ("POST", "/v1/actions", #"{"action":"\#(action.rawValue)","ids":["\#(id)"]}"#)
        case .delete where action == .remove: ("DELETE", "/v1/transfers/\(id)", "")
        case .delete where action == .removeWithFile: ("DELETE", "/v1/transfers/\(id)?delete_file=true", "")
        case .delete: nil
        }
    }

    @Test func `needs the transfers named whose files are to be removed`() async throws {
        let service = FakeService()
        _ = try await Self.add(to: service)
        try await withGateway(service) { bed in
            for body in [#"{"action":"remove_with_file"}"#, #"{"action":"remove_with_file","session":"cli"}"#] {
                let answer = try await bed.send("POST", "/v1/actions", bed.bearer, body)
                #expect(answer.status == 400)
            }
            #expect(service.actions.isEmpty)
        }
    }

    @Test func `limits each request and each change of a file to the allowed folders`() async throws {
        let service = FakeService()
        try await withGateway(service) { bed in
            let body = #"{"url":"http://a.example/f","folder":"/srv/media/x"}"#
            #expect(try await bed.send("POST", "/v1/transfers", bed.bearer, body).status == 201)
            #expect(service.requests.last?.file.allowedFolders == AllowedFolders(["/srv/media"]))
            _ = try await bed.call("aria2.addUri", #"["http://a.example/f"]"#)
            #expect(service.requests.last?.file.allowedFolders == AllowedFolders(["/srv/media"]))
            let id = try #require(try await service.transfers(TransferQuery()).transfers.first?.id)
            _ = try await bed.send("PATCH", "/v1/transfers/\(id)", bed.bearer, #"{"name":"g"}"#)
            #expect(service.changes.last?.file.allowedFolders == AllowedFolders(["/srv/media"]))
            // A client cannot choose them.
            for (method, path) in [("POST", "/v1/transfers"), ("PATCH", "/v1/transfers/\(id)")] {
                let own = #"{"url":"http://a.example/f","folder":"/srv/media","allowed_folders":["/"]}"#
                #expect(try await bed.send(method, path, bed.bearer, own).status == 400)
            }
        }
    }

    // MARK: Secrets of other programs

    @Test func `shows no secret of another program's request`() async throws {
        let service = FakeService()
        let id = try await Self.add(to: service)
        service.edit(id) { transfer in
            transfer.note = ClientNote(application: "app", identifier: "", task: 1, kind: .download, data: "s3cret")
            let fields = [HeaderField(name: "Set-Cookie", value: "a=s3cret"), HeaderField(name: "ETag", value: "e")]
            transfer.response = ResponseFacts(url: "http://a/", status: 200, version: "HTTP/1.1", fields: fields)
            var exchange = ExchangeFacts(url: "http://a/", method: "GET")
            exchange.fields = [HeaderField(name: "X-Api-Key", value: "s3cret")]
            exchange.response = transfer.response
            transfer.exchanges = [exchange]
        }
        let transfer = try await service.transfer(id)
        service.state.withLock { state in
            state.answers.scripts = [
                .init(
                    [
                        TransferEvent(
                            number: nil, kind: .changed, at: .now, id: id, session: .cli, transfer: transfer)
                    ], end: .finishes)
            ]
        }
        try await withGateway(service) { bed in
            for (method, path, body) in [
                ("GET", "/v1/transfers/\(id)", ""), ("GET", "/v1/transfers", ""), ("GET", "/v1/queue?part=waiting", ""),
                ("GET", "/v1/events", ""), ("PATCH", "/v1/transfers/\(id)", #"{"priority":"high"}"#),
            ] {
                let answer = try await bed.send(method, path, bed.bearer, body)
                #expect(answer.status == 200 && answer.text.contains("\(id)"), "\(path): \(answer.text)")
                #expect(!answer.text.contains("s3cret"), "\(path): \(answer.text)")
            }
        }
    }

    // MARK: Global options

    @Test(arguments: [
        #"{"dir":"/etc"}"#, #"{"dir":"../etc"}"#, #"{"dir":"/srv/media/../../etc"}"#, #"{"save-session":"/etc/x"}"#,
        #"{"save-session":"x"}"#, #"{"save-session":"/srv/media/"}"#,
    ])
    func `refuses a path outside as a global option, and stores nothing of it`(options: String) async throws {
        try await withGateway { bed in
            let before = try await bed.call("aria2.getGlobalOption").text
            #expect(try await bed.call("aria2.changeGlobalOption", options).status == 400)
            #expect(try await bed.call("aria2.getGlobalOption").text == before)
        }
    }

    @Test func `writes a client's session file below an allowed folder, over no other file`() async throws {
        try await withFolder { folder in
            try await withGateway(change: { $0.addedFolders = [folder] }) { bed in
                let file = folder + "/session"
                _ = try await bed.call(
                    "aria2.addUri",
                    #"["http://a.example/f"],{"dir":"\#(folder)","pause":"true","gid":"00000000000000ab"}"#)
                #expect(
                    try await bed.call("aria2.changeGlobalOption", #"{"save-session":"\#(file)"}"#).status == 200)
                #expect(try await bed.call("aria2.saveSession").text.contains(#""result":"OK""#))
                let text = try String(contentsOfFile: file, encoding: .utf8)
                #expect(text.contains("http://a.example/f\n") && text.contains("\n gid=00000000000000ab\n"))
                #expect(try await bed.call("aria2.saveSession").status == 200)
                try "mine".write(toFile: file, atomically: false, encoding: .utf8)
                #expect(try await bed.call("aria2.saveSession").status == 400)
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "mine")
            }
        }
    }
}
