// Uploads a file, even while this program does not run. Kill it midway: the daemon continues the upload. Started again
// without arguments, the program prints the result.
//
//     swift run UploadInBackground photo.jpg https://example.org/photos/photo.jpg
//     swift run UploadInBackground

import BackgroundURLSession

/// Prints the progress of each upload and the server's response.
final class Progress: NSObject, URLSessionDataDelegate, Sendable {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) { print("\(totalBytesSent) of \(totalBytesExpectedToSend) bytes are there.") }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        print("The server says: \(String(decoding: data, as: UTF8.self))")
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let name = task.taskDescription ?? "The upload"
        if let error {
            print("\(name) has failed: \(error.localizedDescription)")
        } else {
            print("\(name) is uploaded.")
        }
        session.getAllTasks { tasks in
            if tasks.allSatisfy({ $0.taskIdentifier == task.taskIdentifier }) { session.finishTasksAndInvalidate() }
        }
    }

    func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { exit(0) }
}

setvbuf(stdout, nil, _IOLBF, 0)
let session = URLSession(
    configuration: .background(withIdentifier: "uploads"), delegate: Progress(), delegateQueue: nil)
let words = CommandLine.arguments.dropFirst()
if words.count == 2, let file = words.first, let url = words.last.flatMap({ URL(string: $0) }) {
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    let task = session.uploadTask(with: request, fromFile: URL(fileURLWithPath: file))
    task.taskDescription = url.lastPathComponent
    task.resume()
    print("Uploading \(file). Kill this program, process \(getpid()): the upload goes on.")
} else if !words.isEmpty {
    print("usage: UploadInBackground [FILE URL]")
    exit(64)
}
session.getAllTasks { tasks in
    if tasks.isEmpty { session.finishTasksAndInvalidate() }
}
RunLoop.main.run()
