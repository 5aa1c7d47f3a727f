import CommandKit
import FerryCore
import FerryCommands

/// The result of a command that reads files of its user.
struct UserFileCommand {
    let requests: [TransferRequest]
    let status: Int32
    let talk: String

    /// Runs `ferry add -q` with files and a home folder.
    init(
        _ words: [String], files: [String: String] = [:], readable: Set<String> = [], answer: String? = nil
    ) async {
        let console = RecordingConsole(files: files, answer: answer, readable: readable)
        let daemon = FakeDaemon()
        let context = CommandContext(
            console: console, environment: ["HOME": "/home/me"], currentFolder: "/home/me/in"
        ) { daemon }
        status = await FerryProgram.run(["add", "-q"] + words, in: context)
        requests = daemon.requests
        talk = console.talk
    }
}
