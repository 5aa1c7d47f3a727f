import FerryCore
import FerryTesting
import Foundation
import Testing

@testable import FerryService

@Suite(.timeLimit(.minutes(1))) struct `A program that is started` {
    /// The daemon's own umask makes its files private. It must not apply to an app's files.
    @Test func `it has the umask that it is given`() async throws {
        try await withTemporaryFolder { folder in
            let file = folder.file("umask")
            let command = LaunchCommand(
                arguments: ["/bin/sh", "-c", "umask >\"$RESULT\""], workingFolder: "/", environment: ["RESULT": file])
            let start = ProgramStart(
                command, application: "app", session: "session", environment: ["PATH": "/usr/bin:/bin"],
                umask: FileMask(0o027))
            let (ends, told) = AsyncStream.makeStream(of: Int32.self)
            let process = try SystemProcesses().start(start)
            SystemProcesses().watch(process) { told.yield($0) }
            #expect(await ends.first { _ in true } == process)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "0027\n")
        }
    }
}
