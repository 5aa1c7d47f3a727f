import FerryAPI
import FerryCore
import FerryTesting
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Batches` {
    private func send(_ lines: [String], to client: SocketClient) async throws -> RawResponse {
        try await client.send(
            "POST", "/v1/transfers/batch", type: MediaType.lines, lines.joined(separator: "\n"))
    }

    @Test func `a bad line is refused in its place, and the others are one submission`() async throws {
        let service = FakeService { state in
            state.answers.refusal = { $0.file.folder == "/full" ? ServiceError(.diskFull, "No room.") : nil }
        }
        try await withServer(service) { client in
            let response = try await send(
                [
                    #"{"url":"http://a/1","folder":"/tmp"}"#, "", "{oops", #"{"url":"http://a/2","folder":"/full"}"#,
                    #"{"url":"http://a/3","folder":"/tmp","colour":1}"#, #"{"url":"http://a/4","folder":"/tmp"}"#,
                ], to: client)
            #expect(response.status == 200)
            #expect(response.headers["content-type"] == MediaType.lines)
            let words = try response.lines(SubmissionResult.self).map { result in
                switch result {
                case .accepted(let transfer): transfer.url
                case .refused(let error): error.code == .invalidRequest ? String(error.message.prefix(7)) : error.word
                }
            }
            #expect(words == ["http://a/1", "Line 3:", "disk_full", "Line 5:", "http://a/4"])
        }
        #expect(service.submissions == [3])
    }

    @Test func `ten thousand lines are one submission, answered in order`() async throws {
        let service = FakeService()
        try await withServer(service) { client in
            let lines = (0..<10_000).map { #"{"url":"http://a/\#($0)","folder":"/tmp"}"# }
            let results = try await send(lines, to: client).lines(SubmissionResult.self)
            #expect(results.count == 10_000)
            guard case .accepted(let last) = results.last else { return #expect(Bool(false)) }
            #expect(last.url == "http://a/9999")
        }
        #expect(service.submissions == [10_000])
    }

    @Test func `no lines submit nothing`() async throws {
        let service = FakeService()
        try await withServer(service) { client in
            let response = try await send(["", "\r", ""], to: client)
            #expect(response.status == 200)
            #expect(response.body.isEmpty)
        }
        #expect(service.submissions.isEmpty)
    }

    @Test func `a batch that is no list of lines is refused`() async throws {
        try await withServer { client in
            let response = try await client.send("POST", "/v1/transfers/batch", "{}")
            #expect(response.status == 415)
        }
    }
}
