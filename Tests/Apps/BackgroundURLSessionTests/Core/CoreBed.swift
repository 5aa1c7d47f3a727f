import Foundation
import Testing

@testable import FerryURLSession

/// A session with scripted tasks.
struct CoreBed {
    let engine = ScriptedEngine()
    let recorder: CallRecorder
    let session: URLSession
    let url: URL

    /// - Parameter sessionDelegate: Delegate to use instead of the recorder.
    init(
        recorder: CallRecorder = CallRecorder(), sessionDelegate: (any URLSessionDelegate)? = nil,
        queue: OperationQueue? = nil
    ) throws {
        self.recorder = recorder
        url = try #require(URL(string: "https://example.org/file"))
        session = URLSession(.default, sessionDelegate ?? recorder, queue, engine: engine)
    }

    var request: URLRequest { URLRequest(url: url) }
    var response: URLResponse {
        URLResponse(url: url, mimeType: nil, expectedContentLength: 100, textEncodingName: nil)
    }

    func transport(_ task: URLSessionTask) throws -> ScriptedTransport { try #require(engine[task]) }

    /// Resumes a task and returns it with its transport.
    func running<Kind: URLSessionTask>(_ task: Kind) throws -> (Kind, ScriptedTransport) {
        task.resume()
        return (task, try transport(task))
    }
}
