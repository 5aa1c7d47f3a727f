import FerryCore
import FerryEngine
import FerryTesting
import Foundation
import Testing

@Suite(.timeLimit(.minutes(1))) struct `Files that a transfer leaves` {
    private static let script = OriginScript(SeededBody(seed: 31, size: 300_000))

    private func name(_ id: TransferID) -> String { ".ferry-\(id).part" }

    /// Leaves a partial file as after a crash between creating and recording it.
    private func leavePartialFile(of id: TransferID, _ bed: ServiceBed) throws {
        try Data("some bytes".utf8).write(to: URL(filePath: "\(bed.folder)/\(name(id))"))
    }

    @Test(arguments: ServiceKind.allCases, [TransferAction.cancel, .remove, .removeWithFile])
    func `goes with it, also where it was never recorded`(kind: ServiceKind, action: TransferAction) async throws {
        try await withService(kind, Self.script) { bed in
            let transfer = try await bed.add { $0.timing.paused = true }
            try leavePartialFile(of: transfer.id, bed)
            try await bed.act(action, transfer.id)
            #expect(bed.files == [])
        }
    }

    @Test(arguments: ServiceKind.allCases)
    func `stays where it belongs to another`(kind: ServiceKind) async throws {
        try await withService(kind, Self.script) { bed in
            let transfer = try await bed.add { $0.timing.paused = true }
            try Data("mine".utf8).write(to: URL(filePath: "\(bed.folder)/mine"))
            try FileManager.default.linkItem(
                atPath: "\(bed.folder)/mine", toPath: "\(bed.folder)/\(name(transfer.id))")
            try await bed.act(.cancel, transfer.id)
            #expect(bed.files == [name(transfer.id), "mine"])
        }
    }
}
