import FerryCore
import FerryEngine
import FerryQueue
import FerryRules
import Foundation

extension Leftovers {
    init(_ remains: Remains) {
        let request = remains.isPartialNameForeign ? nil : remains.request
        self.init(
            id: remains.id, partial: remains.partial, copy: remains.copy, placed: remains.placed,
            intended: remains.intended,
            partialFolder: request.map { $0.file.partialFolder ?? Destination.folder(of: $0) })
    }

    /// Collects the files of a transfer at rest.
    ///
    /// - Parameter withFile: Whether to include its placed file. A file in the spool is always included.
    init(_ record: TransferRecord, withFile: Bool = false) {
        var placed: PlacementIntent?
        if withFile || record.request.file.spooled, case .succeeded(let success) = record.outcome, !success.unchanged {
            placed = record.facts.placement
        }
        var intended: PlacementIntent?
        if case .succeeded = record.outcome {} else { intended = record.facts.placement }
        let folder = record.request.file.partialFolder ?? Destination.folder(of: record.request)
        // A file with the usual name may be unrecorded after a crash. Skip it if it is known to belong to another
        // program.
        let mayBeUnrecorded = !record.facts.partialNameIsForeign && !(record.outcome?.state == .succeeded)
        self.init(
            id: record.id, partial: record.facts.partial, copy: record.facts.copy, placed: placed,
            intended: intended, partialFolder: mayBeUnrecorded ? folder : nil)
    }
}

extension CleanUpPlace {
    init(_ leftovers: Leftovers) {
        self.init(folders: leftovers.folders, isRecorded: leftovers.isRecorded)
    }

    /// Returns `nil` if there is nothing to clean up.
    init?(_ record: TransferRecord, now: Date) {
        switch CleanUp(record, now: now) {
        case .none: return nil
        case .finishCancel: self.init(Leftovers(record))
        case .findName:
            let former = record.facts.placement?.formerPath?.folderPart
            self.init(folders: Set([former].compactMap { $0 }), isRecorded: true)
        case .removePartialFile(let partial):
            self.init(folders: [partial.folder], isRecorded: true)
        }
    }
}
