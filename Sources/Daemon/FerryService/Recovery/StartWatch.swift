import CFerrySystem
import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation
import Logging

/// Determines how this process started, and keeps a start mark in the state folder during the trial period.
///
/// See docs/formats/start-mark.md for the two files.
struct StartWatch {
    private enum Name {
        static let mark = "start.json"
        static let trap = "start.trap"
    }

    private let folder: String?
    private let logger: Logger
    let mode: StartMode
    private let mark: StartMark

    /// Reads the files of earlier daemons and writes a new mark. Without a folder it writes none.
    ///
    /// Read and write errors are only logged: they must not keep the daemon from starting.
    init(folder: String?, logger: Logger, now: Date) {
        self.folder = folder
        self.logger = logger
        guard let folder else {
            (mode, mark) = (.usual, StartMark(startedAt: now))
            return
        }
        // An unreadable mark counts as a mark.
        let found = FileManager.default.contents(atPath: folder + "/" + Name.mark).map { data in
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .millisecondsSince1970
            return (try? decoder.decode(StartMark.self, from: data)) ?? StartMark(startedAt: now)
        }
        let note = FileManager.default.contents(atPath: folder + "/" + Name.trap).map { data in
            TrapNote(String(decoding: data, as: UTF8.self))
        }
        (mode, mark) = StartMode.decide(found, note, now: now)
        // Write the mark that counts a trap before removing the trap's note.
        write(mark)
        remove(Name.trap)
        if let warning = mode.warning { logger.critical("\(warning)") }
    }

    /// Records that the suspected transfers were failed. Retrying one of them does not make it suspect again.
    func suspectsFailed() {
        guard !mark.atWork.isEmpty else { return }
        var next = mark
        next.atWork = []
        write(next)
    }

    /// Ends the trial: the daemon has run for a while, or shuts down normally.
    func succeeded() {
        remove(Name.mark)
        remove(Name.trap)
    }

    private func write(_ mark: StartMark) {
        guard let folder else { return }
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .millisecondsSince1970
        let (path, temporary) = (folder + "/" + Name.mark, folder + "/" + Name.mark + ".new")
        guard let data = try? encoder.encode(mark),
            FileManager.default.createFile(
                atPath: temporary, contents: data, attributes: [.posixPermissions: 0o600]),
            unsafe rename(temporary, path) == 0
        else { return logger.warning("the mark of this start cannot be written", metadata: ["path": "\(path)"]) }
    }

    private func remove(_ name: String) {
        if let folder { unsafe unlink(folder + "/" + name) }
    }

    // MARK: Traps of this process

    /// Makes traps of this process write a note to a state folder.
    static func noteTraps(in folder: String, logger: Logger) {
        let status = unsafe ferry_note_traps(folder + "/" + Name.trap)
        if status != 0 { logger.warning("traps cannot be noted", metadata: ["errno": "\(status)"]) }
    }

    static func began(_ id: TransferID) { ferry_work_began(id.rawValue) }
    static func ended(_ id: TransferID) { ferry_work_ended(id.rawValue) }
}
