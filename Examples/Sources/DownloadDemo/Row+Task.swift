// A download as the list shows it.

import Ferry
import Foundation

extension Overview.Row {
    init(_ task: DownloadTask, number: Int) {
        let status = task.status
        let progress = task.progress
        let isKnown = progress.totalUnitCount >= 0
        self.init(
            id: task.id, number: number, name: task.url.lastPathComponent, status: status,
            remark: Self.remark(task, status), fraction: isKnown ? progress.fractionCompleted : nil,
            received: progress.completedUnitCount, speed: task.speedString,
            remaining: task.timeRemaining > 0 ? task.timeRemainingString : "")
    }

    private static func remark(_ task: DownloadTask, _ status: Status) -> String {
        switch status {
        case .waiting: task.waitingReason.map(text) ?? ""
        case .failed: task.error?.localizedDescription ?? ""
        case .succeeded: task.filePath
        default: ""
        }
    }

    private static func text(_ reason: WaitingReason) -> String {
        switch reason {
        case .slot: "for its turn"
        case .host: "for its turn at this server"
        case .network: "for a network"
        case .networkPolicy: "for a network that it may use"
        case .diskSpace: "for space on the disk"
        case .daemon: "for the daemon"
        case .backoff(let until): "to try again at \(until.formatted(date: .omitted, time: .standard))"
        case .notBefore(let date): "until \(date.formatted(date: .abbreviated, time: .shortened))"
        }
    }
}
