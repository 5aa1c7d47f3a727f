import CFerrySystem
import FerryCore
import Foundation
package import Logging

/// Knows how this process started, and keeps the mark of the start in the state folder while that is on trial.
///
/// docs/formats/start-mark.md describes the two files.
struct StartWatch {
    private enum Name {
        static let mark = "start.json"
        static let trap = "start.trap"
    }

    private let folder: String?
    private let logger: Logger
    let mode: StartMode
    private let mark: StartMark

    /// Looks at what earlier daemons left, and leaves a mark; a service without a folder leaves none.
    ///
    /// What cannot be read or written is logged: it keeps no daemon from starting.
    init(folder: String?, logger: Logger, now: Date = Date()) {
        self.folder = folder
        self.logger = logger
        guard let folder else {
            (mode, mark) = (.usual, StartMark(startedAt: now))
            return
        }
        // A mark that cannot be read is one all the same.
        let found = FileManager.default.contents(atPath: folder + "/" + Name.mark).map { data in
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .millisecondsSince1970
            return (try? decoder.decode(StartMark.self, from: data)) ?? StartMark(startedAt: now)
        }
        let note = FileManager.default.contents(atPath: folder + "/" + Name.trap).map { data in
            TrapNote(String(decoding: data, as: UTF8.self))
        }
        (mode, mark) = StartMode.decide(found, note, now: now)
        // The mark that counts a trap is there before its note goes.
        write(mark)
        remove(Name.trap)
        if let warning = mode.warning { logger.critical("\(warning)") }
    }

    /// The transfers that were at work have failed. One that is tried again is no longer suspected.
    func suspectsFailed() {
        guard !mark.atWork.isEmpty else { return }
        var next = mark
        next.atWork = []
        write(next)
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

    /// Fails the transfers that were at work when traps ended the last daemons, so that all others go on.
    ///
    /// An end that cannot be stored is logged: it keeps no daemon from starting.
    func failSuspects() async {
        do throws(ServiceError) {
            for record in try await records(of: life.mode.suspects) {
                var machine = TransferMachine(record)
                guard case .finish(let outcome) = machine.trapped() else { continue }
                _ = try await finish(machine.record, outcome)
            }
            life.suspectsFailed()
        } catch {
            logger.error("transfers that were at work at a crash go on", metadata: ["error": "\(error)"])
        }
    }

    /// Does on disk what may end the process again, and takes the mark away once it has lived through that.
    func beginTrial() {
        setAlarm(Alarm(due: .now + .seconds(configuration.trial), cause: .trialEnds))
        // Where no transfer was at work at the traps, something else ended the daemon, which may be this.
        guard life.mode != .afterTraps(atWork: []) else { return }
        cleanUp()
        sweepAtStart()
    }
}
