import CFerrySystem
import FerryCore
import Foundation
package import Logging

/// Knows whether transfers are held, and keeps the mark of a start in the state folder while that is on trial.
///
/// docs/formats/start-mark.md describes the two files.
struct StartWatch {
    private enum Name {
        static let mark = "start.json"
        static let trap = "start.trap"
    }

    private let folder: String?
    private let logger: Logger
    private(set) var mode = StartMode.usual

    /// Looks at what earlier daemons left, and leaves a mark; a service without a folder leaves none.
    ///
    /// What cannot be read or written is logged: it keeps no daemon from starting.
    init(folder: String?, logger: Logger, now: Date = Date()) {
        self.folder = folder
        self.logger = logger
        guard let folder else { return }
        // A mark that cannot be read is one all the same.
        let mark = FileManager.default.contents(atPath: folder + "/" + Name.mark).map { data in
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .millisecondsSince1970
            return (try? decoder.decode(StartMark.self, from: data)) ?? StartMark(startedAt: now)
        }
        let note = FileManager.default.contents(atPath: folder + "/" + Name.trap).map { data in
            TrapNote(String(decoding: data, as: UTF8.self))
        }
        let (mode, next) = StartMode.decide(mark, note, now: now)
        self.mode = mode
        // The mark that counts a trap is there before its note goes.
        write(next)
        remove(Name.trap)
        if let warning = mode.warning { logger.critical("\(warning)") }
    }

    var isHeld: Bool { mode != .usual }

    /// Lets transfers run that are held.
    mutating func goOn() {
        mode = .usual
        write(StartMark(startedAt: Date()))
    }

    /// Ends the trial: the daemon has run for a while, or ends well.
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

    /// Lets a trap of this process leave a note in a state folder.
    static func noteTraps(in folder: String, logger: Logger) {
        let status = unsafe ferry_note_traps(folder + "/" + Name.trap)
        if status != 0 { logger.warning("traps cannot be noted", metadata: ["errno": "\(status)"]) }
    }

    static func began(_ id: TransferID) { ferry_work_began(id.rawValue) }
    static func ended(_ id: TransferID) { ferry_work_ended(id.rawValue) }
}

extension LocalTransferService {
    /// Lets a trap of this process leave a note in a state folder, which the next start reads.
    package static func noteTraps(in folder: String, logger: Logger) {
        StartWatch.noteTraps(in: folder, logger: logger)
    }

    /// Lets transfers run that are held, and does what else has waited for that.
    func goOn() {
        guard life.goOn() else { return }
        logger.notice("transfers go on that were held")
        beginTrial()
        take(.goOn)
    }

    /// Does on disk what may end the process again, and takes the mark away once it has lived through that.
    func beginTrial() {
        setAlarm(Alarm(due: .now + .seconds(configuration.trial), cause: .trialEnds))
        cleanUp()
        sweepAtStart()
    }
}
