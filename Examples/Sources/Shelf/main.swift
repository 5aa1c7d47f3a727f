// A shelf of downloads, shown by their models: all, the finished ones, or the unfinished ones.
//
//     swift run Shelf add https://example.org/a.iso
//     swift run Shelf list | finished | unfinished | pause | resume | clear | watch

import Ferry
import Foundation

let shelf = DownloadManager.default
shelf.maxDownloadCount = 2

/// Prints a line for each download.
func show(_ models: [DownloadModel]) {
    for model in models {
        let facts = model.model
        let share = facts.totalLength > 0 ? "\(Int(facts.progress * 100)) %" : "\(facts.receivedSize) bytes"
        let file = shelf.getFile(url: facts.url ?? "")
        print("\(facts.state.rawValue) \(share) \(facts.url ?? "-")\(file.isEmpty ? "" : " → \(file)")")
    }
    print("\(models.count) downloads, \(Int(shelf.getCacheSize())) bytes on disk")
}

/// Prints each change until no download is active.
func watch() {
    _ = NotificationCenter.default.addObserver(forName: DownloadProgressNotification, object: nil, queue: .main) {
        notification in
        guard let facts = notification.object as? DownloadDescModel else { return }
        print("\(facts.state.rawValue) \(facts.receivedSize) of \(facts.totalLength) \(facts.url ?? "-")")
        let rest = shelf.getDownloadingModel().filter { [.start, .waiting].contains($0.states) }
        if rest.isEmpty { exit(0) }
    }
    RunLoop.main.run()
}

/// Waits until the daemon has followed the command. A program that exits at once might not have sent it.
func wait(until isDone: ([DownloadState]) -> Bool) {
    while !isDone(shelf.getDownloadModels().map(\.states)) { usleep(20_000) }
}

let words = Array(CommandLine.arguments.dropFirst())
switch words.first {
case "add":
    for address in words.dropFirst() {
        let model = DownloadModel()
        model.model.url = address
        shelf.download(model: model)
        print("\(model.states.rawValue) \(address)")
    }
case "list", nil: show(shelf.getDownloadModels())
case "finished": show(shelf.getDownloadFinishModels())
case "unfinished": show(shelf.getDownloadingModel())
case "pause":
    shelf.updateDownloadingStateWithSuspended()
    wait { states in !states.contains { [.start, .waiting].contains($0) } }
case "resume":
    shelf.updateDownloading()
    wait { states in !states.contains(.suspended) }
case "clear":
    shelf.deleteAllFile()
    wait(until: \.isEmpty)
case "watch": watch()
default:
    print("usage: Shelf [add URL… | list | finished | unfinished | pause | resume | clear | watch]")
    exit(64)
}
