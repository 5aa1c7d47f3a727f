import FerryAPI
import FerryCore
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Refusals` {
    @Test(arguments: [
        (#"{"url":"http://a/""#, "not JSON"),
        (#"{"url" 1}"#, "character"),
        ("", "not JSON"),
        ("[1]", "an object"),
        (#"{"folder":"/tmp"}"#, "no url"),
        (#"{"url":null,"folder":"/tmp"}"#, "url is null"),
        (#"{"url":7,"folder":"/tmp"}"#, "url is not a text"),
        (#"{"url":"http://a/","folder":"/tmp","retries":"many"}"#, "retries is not a whole number"),
        (#"{"url":"http://a/","folder":"/tmp","headers":[{"name":"a"}]}"#, "headers[0].value"),
        (#"{"url":"http://a/","folder":"/tmp","deadline":"soon"}"#, "deadline is wrong"),
        (#"{"url":"http://a/","folder":"/tmp","checksums":["crc:1"]}"#, "crc"),
        (#"{"url":"http://a/","folder":"/tmp","colour":1}"#, "colour"),
        (#"{"url":"http://a/","folder":"/tmp","x\n\u001b[2J":1}"#, #"x\u{a}\u{1b}[2J"#),
    ])
    func `a wrong body is refused with the place`(body: String, says: String) async throws {
        try await withServer { client in
            let response = try await client.send("POST", "/v1/transfers", body)
            #expect(response.status == 400)
            let error = try response.error()
            #expect(error.code == .invalidRequest)
            #expect(error.message.contains(says), "\(error.message)")
        }
    }

    @Test func `an unknown key is refused with the daemon's version`() async throws {
        try await withServer { client in
            let error = try await client.send("PATCH", "/v1/settings", #"{"speed":1}"#).error()
            #expect(error.message.contains(FerryVersion.current))
            #expect(error.message.contains("rate_limit"))
        }
    }

    @Test(arguments: [
        ("GET", "/v1/nowhere", 404, "does not exist"),
        ("GET", "/", 404, "does not exist"),
        ("GET", "/v2/version", 404, "version 1"),
        ("DELETE", "/v1/version", 405, "GET"),
        ("PUT", "/v1/transfers", 405, "POST, GET"),
        ("GET", "/v1/transfers/xyz", 404, "16 hexadecimal"),
        ("GET", "/v1/transfers/%zz", 400, "percent"),
        ("GET", "/v1/transfers?limit=0", 400, "limit is 1 to 1000"),
        ("GET", "/v1/transfers?state=flying", 400, "state is one of"),
        ("GET", "/v1/transfers?sort=size", 400, "sort"),
        ("GET", "/v1/events?progress=0", 400, "progress"),
        ("GET", "/v1/events?until_ended=true", 400, "ids"),
        ("GET", "/v1/events?brief=1", 400, "brief is true or false"),
        ("GET", "/v1/events?brief=", 400, "brief is true or false"),
        ("GET", "/v1/status?x=1", 400, "x"),
        ("DELETE", "/v1/transfers/0000000000000001?delete_file=yes", 400, "true or false"),
        ("DELETE", "/v1/transfers/0000000000000001", 404, "no transfer"),
    ])
    func `a wrong target is refused as JSON`(method: String, target: String, status: Int, says: String) async throws {
        try await withServer { client in
            let response = try await client.send(method, target)
            #expect(response.status == status)
            #expect(try response.error().message.contains(says), "\(response.text)")
            #expect((response.headers["allow"] != nil) == (status == 405))
        }
    }

    @Test func `another content type is refused, and so is none`() async throws {
        try await withServer { client in
            let body = #"{"url":"http://a/","folder":"/tmp"}"#
            let form = try await client.send("POST", "/v1/transfers", type: "application/x-www-form-urlencoded", body)
            #expect(form.status == 415)
            let charset = try await client.send("POST", "/v1/transfers", type: "application/json; charset=utf-8", body)
            #expect(charset.status == 201)
            let lines = try await client.send("POST", "/v1/transfers", type: MediaType.lines, body)
            #expect(lines.status == 415)
            let none = try await client.send("POST", "/v1/transfers", type: nil, body)
            #expect(none.status == 415)
            #expect(try none.error().message.contains("application/json"))
        }
    }

    @Test func `a body over its limit is refused and nothing is done`() async throws {
        let service = FakeService()
        try await withServer(service) { client in
            let body =
                #"{"url":"http://a/","folder":"/tmp","name":""# + String(repeating: "x", count: BodyLimit.value)
                + #""}"#
            let response = try await client.send("POST", "/v1/transfers", body)
            #expect(response.status == 413)
            #expect(try response.error().code == .invalidRequest)
        }
        #expect(service.all.isEmpty)
    }

    @Test func `an error of the service keeps its code and details`() async throws {
        let service = FakeService {
            $0.answers.failure = ServiceError(.journalFailed, "The journal is gone.", details: ErrorDetails(errno: 5))
        }
        try await withServer(service) { client in
            let response = try await client.send("GET", "/v1/status")
            #expect(response.status == 500)
            #expect(try response.error().details.errno == 5)
        }
    }
}
