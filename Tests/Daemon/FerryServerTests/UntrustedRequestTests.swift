import FerryAPI
import FerryCore
import Foundation
import HTTPTypes
import Logging
import NIOCore
import Synchronization
import Testing

@testable import FerryServer
import FerryTesting

@Suite(.timeLimit(.minutes(1))) struct `Requests that keep what they get` {
    private static let head = "POST /v1/transfers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"

    /// The response precedes the end of the body: otherwise an endless body would have to be read forever.
    @Test func `a chunked body over its limit is refused while it arrives`() async throws {
        let service = FakeService()
        try await withServer(service) { client in
            let chunk = Data("100000\r\n".utf8) + Data(repeating: UInt8(ascii: " "), count: 1 << 20) + Data("\r\n".utf8)
            var request = Data((Self.head + "Transfer-Encoding: chunked\r\n\r\n").utf8)
            for _ in 0...(BodyLimit.value >> 20) { request += chunk }
            let response = try await client.exchange(request)
            #expect(response.status == 413)
            #expect(response.headers["connection"] == "close")
            #expect(try response.error().code == .invalidRequest)
        }
        #expect(service.all.isEmpty)
    }

    @Test func `a body that says that it is too long is refused before any of it comes`() async throws {
        try await withServer { client in
            let length = "Content-Length: \(BodyLimit.value + 1)\r\n\r\n"
            let response = try await client.exchange(Data((Self.head + length).utf8))
            #expect(response.status == 413)
        }
    }

    @Test func `a body that breaks off adds no line to the log`() async throws {
        let told = Mutex<[String]>([])
        try await withServer(log: { _, message in told.withLock { $0.append(message) } }) { client in
            try await offPool {
                for _ in 0..<3 {
                    let connection = try Connection(path: client.path)
                    connection.write(Data((Self.head + "Content-Length: 100\r\n\r\n{").utf8))
                    connection.end()
                }
            }
            let response = try await client.send("GET", "/v1/version")
            #expect(response.status == 200)
        }
        #expect(told.withLock { $0 }.isEmpty)
    }

    @Test func `a body that does not come in time is refused`() async throws {
        var limits = RequestPhase.Limits()
        limits.body = .milliseconds(1)
        try await withServer(limits: limits) { client in
            let response = try await client.exchange(Data((Self.head + "Content-Length: 100\r\n\r\n{").utf8))
            #expect(response.status == 408)
        }
    }

    @Test func `a body for which there is no room is refused, and the next that fits is not`() async throws {
        var limits = RequestPhase.Limits()
        limits.allBytes = 100
        try await withServer(limits: limits) { client in
            let name = String(repeating: "x", count: 100)
            for (body, status) in [
                (#"{"url":"http://a/","folder":"/tmp","name":"\#(name)"}"#, 503),
                (#"{"url":"http://a/","folder":"/tmp"}"#, 201), (#"{"url":"http://a/","folder":"/tmp"}"#, 201),
                (#"{"url":"http://a/","folder":"/tmp"}"#, 201),
            ] {
                let response = try await client.send("POST", "/v1/transfers", body)
                #expect(response.status == status)
                if status == 503 { #expect(try response.error().code == .daemonUnreachable) }
            }
        }
    }

    @Test func `a connection beyond the limit gets an error, and its place when another ends`() async throws {
        try await withServer(mostConnections: 1) { client in
            let version = Data("GET /v1/version HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
            try await offPool {
                let first = try Connection(path: client.path)
                first.write(version)
                #expect(try first.readAnswer().status == 200)
                let second = try Connection(path: client.path)
                defer { second.end() }
                let refusal = try second.readAnswer()
                #expect(refusal.status == 503)
                #expect(try refusal.error().code == .daemonUnreachable)
                first.end()
                // The server notices the disconnect asynchronously.
                while true {
                    let third = try Connection(path: client.path)
                    defer { third.end() }
                    third.write(version)
                    if try third.readAnswer().status == 200 { return }
                }
            }
        }
    }
}

@Suite(.timeLimit(.minutes(1))) struct `Requests of web pages` {
    @Test(
        arguments: [
            ("localhost", [:], nil), ("LocalHost", [:], nil), ("localhost", ["Content-Length": "0"], nil),
            ("localhost", ["Content-Type": "application/json; charset=utf-8", "Content-Length": "2"], nil),
            ("localhost", ["Content-Type": "APPLICATION/X-NDJSON", "Transfer-Encoding": "chunked"], nil),
            ("localhost", ["Content-Type": "text/plain", "Content-Length": "2"], nil),
            ("evil.example", [:], 403), ("localhost.evil.example", [:], 403), ("localhost:8080", [:], 403),
            ("127.0.0.1", [:], 403), ("", [:], 403), (nil, [:], 403),
            ("localhost", ["Origin": "https://evil.example"], 403), ("localhost", ["Origin": "null"], 403),
            ("localhost", ["Origin": "http://localhost"], 403),
            ("localhost", ["Content-Length": "2"], 415), ("localhost", ["Transfer-Encoding": "chunked"], 415),
            ("localhost", ["Content-Type": "application/x-www-form-urlencoded", "Content-Length": "2"], 415),
            ("localhost", ["Content-Type": "multipart/form-data; boundary=x", "Content-Length": "2"], 415),
            ("localhost", ["Content-Type": "application/x-www-form-urlencoded"], 415),
            ("localhost", ["Content-Type": ""], 415),
        ] as [(String?, [String: String], Int?)])
    func `are known by what a page cannot choose`(host: String?, fields: [String: String], status: Int?) throws {
        var given = HTTPFields()
        for (name, value) in fields { given[try #require(HTTPField.Name(name))] = value }
        let refusal = CallerCheck.refusal(host: host, fields: given)
        #expect(refusal?.status.code == status)
        #expect(refusal == nil || refusal?.error.code == .invalidRequest)
    }

    @Test(
        arguments: [
            ("Host: rebound.example\r\n", 403), ("Host: localhost\r\nOrigin: https://a.example\r\n", 403),
            ("Host: localhost\r\n", 415),
            ("Host: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n", 415),
        ])
    func `are refused before their body comes, and nothing is done`(fields: String, status: Int) async throws {
        let service = FakeService()
        try await withServer(service) { client in
            let head = "POST /v1/transfers HTTP/1.1\r\n\(fields)Content-Length: 1000000\r\n\r\n"
            let response = try await client.exchange(Data(head.utf8))
            #expect(response.status == status)
            #expect(response.headers["connection"] == "close")
        }
        #expect(service.all.isEmpty)
    }
}
