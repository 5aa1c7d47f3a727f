// Downloads a URL with a session owned by an object: in the background, in this process, or not at all.
// Usage: SessionOwner background|default|forget URL

import BackgroundURLSession

guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[2]) else {
    print("usage: SessionOwner background|default|forget URL")
    exit(64)
}
setvbuf(stdout, nil, _IOLBF, 0)
let owner: Manager?
switch CommandLine.arguments[1] {
case "background":
    backgroundManager.backgroundCompletionHandler = {
        print("background events are over, on the main thread:", Thread.isMainThread)
    }
    downloadBackground(url)
    owner = backgroundManager
case "default":
    let manager = Manager()
    manager.download(url)
    owner = manager
default:
    downloadAndForget(url)
    owner = nil
}
RunLoop.main.run()
