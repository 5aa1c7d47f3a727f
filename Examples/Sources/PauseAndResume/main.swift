// Downloads a URL to download.bin in the current folder, pausing and resuming several times.
// Usage: PauseAndResume URL [PAUSES]

import BackgroundURLSession

final class ObservedDownloader: Downloader {
    var ended: (Bool) -> Void = { _ in }

    override func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
        super.urlSession(session, task: task, didCompleteWithError: error)
        if let error = error { print("paused:", (error as NSError).code) }
        let isDone = error == nil
        DispatchQueue.main.async { self.ended(isDone) }
    }
}

guard CommandLine.arguments.count >= 2, let url = URL(string: CommandLine.arguments[1]) else {
    print("usage: PauseAndResume URL [PAUSES]")
    exit(64)
}
var pauses = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2]) ?? 10 : 10
let downloader = ObservedDownloader()

func pauseSoon() {
    guard pauses > 0 else { return }
    DispatchQueue.main.asyncAfter(deadline: .now() + 0.4) {
        pauses -= 1
        downloader.pause()
    }
}

downloader.ended = { isDone in
    if isDone {
        print("finished")
        exit(0)
    }
    downloader.resume()
    pauseSoon()
}
setvbuf(stdout, nil, _IOLBF, 0)
downloader.start(url)
pauseSoon()
RunLoop.main.run()
