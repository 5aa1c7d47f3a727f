import FerryTesting
import Foundation
import Synchronization
import Testing

@testable import FerryURLSession

@Suite struct CoreTaskTests {
    @Test func `4 a task makes no transport before it is resumed`() throws {
        let bed = try CoreBed()
        let task = bed.session.downloadTask(with: bed.url)
        #expect(task.state == .suspended)
        #expect(bed.engine[task] == nil)
        task.suspend()
        #expect(bed.engine[task] == nil)
    }

    @Test func `5 tasks are numbered from 1`() throws {
        let bed = try CoreBed()
        let numbers = (0..<3).map { _ in bed.session.dataTask(with: bed.url).taskIdentifier }
        #expect(numbers == [1, 2, 3])
    }

    @Test func `6 didCreateTask runs on the calling thread before the task is returned`() throws {
        let bed = try CoreBed()
        _ = bed.session.dataTask(with: bed.url)
        #expect(bed.recorder.calls == ["created"])
        #expect(bed.recorder.queues == [OperationQueue.current])
    }

    @Test func `34 the transport hears only of the outermost suspend and resume`() throws {
        let bed = try CoreBed()
        let (task, transport) = try bed.running(bed.session.downloadTask(with: bed.url))
        task.resume()
        task.suspend()
        task.suspend()
        task.resume()
        #expect(task.state == .suspended)
        task.resume()
        #expect(transport.told == ["resume", "suspend", "resume"])
    }

    @Test func `43 cancel with resume data gives the handler and the error the same data, once`() async throws {
        let bed = try CoreBed()
        let (task, _) = try bed.running(bed.session.downloadTask(with: bed.url))
        let data = await task.cancelByProducingResumeData()
        #expect(data == ScriptedTransport.resumeData)
        try await eventually { bed.recorder.hasCompleted }
        #expect((task.error as? URLError)?.downloadTaskResumeData == data)
        #expect(await task.cancelByProducingResumeData() == nil)
    }

    @Test(arguments: ["ftp://example.org/file", "nothing:at-all"])
    func `2_3 a URL of another scheme ends the task with -1002 after resume`(_ text: String) async throws {
        let bed = try CoreBed()
        let url = try #require(URL(string: text))
        let task = bed.session.dataTask(with: url)
        #expect(bed.recorder.calls == ["created"])
        task.resume()
        try await eventually { bed.recorder.hasCompleted }
        #expect(bed.recorder.calls.last == "completed -1002")
        #expect(task.originalRequest?.url == url)
        let info = (task.error as NSError?)?.userInfo
        #expect(info?[NSURLErrorFailingURLErrorKey] as? URL == url)
    }

    @Test func `2_3 an upload of a file that is not there or a folder is delivered`() async throws {
        let bed = try CoreBed()
        let folder = FileManager.default.temporaryDirectory
        let missing = folder.appendingPathComponent(UUID().uuidString)
        for (file, code) in [(missing, -1100), (folder, -1101)] {
            let task = bed.session.uploadTask(with: bed.request, fromFile: file)
            task.resume()
            try await eventually { task.state == .completed }
            #expect((task.error as? URLError)?.code.rawValue == code)
        }
    }

    @Test func `2_3 resume data that are none end the task with -3003`() async throws {
        let bed = try CoreBed()
        let task = bed.session.downloadTask(withResumeData: Data("no".utf8))
        task.resume()
        try await eventually { bed.recorder.hasCompleted }
        #expect(bed.recorder.calls.last == "completed -3003")
    }

    @Test func `progress reaches its end, also where the length was not known or is 0`() async throws {
        for length in [Int64(0), 50] {
            let bed = try CoreBed()
            let (task, transport) = try bed.running(bed.session.downloadTask(with: bed.url))
            let progress = task.progress
            if length > 0 { transport.relay.show(.wrote(total: length, expected: -1)) }
            await transport.relay.complete(nil, metrics: [])
            #expect(progress.fractionCompleted == 1)
        }
    }

    @Test func `progress of an upload counts the sent bytes`() async throws {
        let bed = try CoreBed()
        let (task, transport) = try bed.running(bed.session.uploadTask(with: bed.request, from: Data(count: 40)))
        let progress = task.progress
        transport.relay.show(.sent(total: 10, expected: 40))
        try await eventually { progress.completedUnitCount == 10 }
        #expect(progress.totalUnitCount == 40)
    }

    @Test func `canceling the progress cancels the task`() async throws {
        let bed = try CoreBed()
        let (task, _) = try bed.running(bed.session.downloadTask(with: bed.url))
        task.progress.cancel()
        try await eventually { bed.recorder.hasCompleted }
        #expect(bed.recorder.calls.last == "completed -999")
    }

    @Test func `an idle task's own state takes less than 1 KiB`() {
        #expect(MemoryLayout<TaskStorage>.size < 1024)
    }
}
