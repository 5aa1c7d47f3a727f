import Foundation
import Testing

@testable import FerryURLSession

@Suite struct CoreMisuseTests {
    private static func background() -> URLSession {
        URLSession(.background(withIdentifier: "misuse"), CallRecorder(), nil, engine: ScriptedEngine())
    }

    private static func foreground() -> URLSession {
        URLSession(.default, CallRecorder(), nil, engine: ScriptedEngine())
    }

    private static var request: URLRequest { URLRequest(url: URL(fileURLWithPath: "/file")) }

    private func said(_ text: String, by result: ExitTest.Result?) throws -> Bool {
        String(decoding: try #require(result).standardErrorContent, as: UTF8.self).contains(text)
    }

    @Test func `2_3 an empty background identifier`() async throws {
        await #expect(processExitsWith: .failure) { _ = URLSessionConfiguration.background(withIdentifier: "") }
    }

    @Test func `2_3 a background session without a delegate`() async throws {
        await #expect(processExitsWith: .failure) {
            _ = URLSession(configuration: .background(withIdentifier: "misuse"))
        }
    }

    @Test func `2_3 a completion handler in a background session`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CoreMisuseTests.background().downloadTask(with: CoreMisuseTests.request) { _, _, _ in }
        }
        let text = "Completion handler blocks are not supported in background sessions. Use a delegate instead."
        #expect(try said(text, by: result))
    }

    @Test func `2_3 an awaited call in a background session`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try await CoreMisuseTests.background().data(for: CoreMisuseTests.request)
        }
        let text = "Completion handler blocks are not supported in background sessions. Use a delegate instead."
        #expect(try said(text, by: result))
    }

    @Test func `2_3 an upload of bytes in a background session`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CoreMisuseTests.background().uploadTask(with: CoreMisuseTests.request, from: Data())
        }
        #expect(try said("Upload tasks from NSData are not supported in background sessions.", by: result))
    }

    @Test func `2_3 an upload of a stream in a background session`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = CoreMisuseTests.background().uploadTask(withStreamedRequest: CoreMisuseTests.request)
        }
        #expect(try said("with streams are not supported in background sessions.", by: result))
    }

    @Test func `2_3 a request with a body stream in a background session`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            var request = CoreMisuseTests.request
            request.httpBodyStream = InputStream(data: Data())
            _ = CoreMisuseTests.background().downloadTask(with: request)
        }
        #expect(try said("with streams are not supported in background sessions.", by: result))
    }

    @Test func `2_3 a task delegate in a background session`() async throws {
        await #expect(processExitsWith: .failure) {
            let task = CoreMisuseTests.background().dataTask(with: CoreMisuseTests.request)
            task.delegate = CallRecorder()
        }
    }

    @Test func `2_3 nil as the task delegate in a background session is allowed`() async throws {
        await #expect(processExitsWith: .success) {
            let task = CoreMisuseTests.background().dataTask(with: CoreMisuseTests.request)
            task.delegate = nil
        }
    }

    @Test func `2_3 a task delegate set after resume`() async throws {
        await #expect(processExitsWith: .failure) {
            let task = CoreMisuseTests.foreground().dataTask(with: CoreMisuseTests.request)
            task.resume()
            task.delegate = CallRecorder()
        }
    }

    @Test func `2_3 a task made after invalidation`() async throws {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let session = CoreMisuseTests.foreground()
            session.finishTasksAndInvalidate()
            _ = session.dataTask(with: CoreMisuseTests.request)
        }
        #expect(try said("Task created in a session that has been invalidated", by: result))
    }
}
