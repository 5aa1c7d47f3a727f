// The same download with Foundation's own URLSession. Usage: FoundationBenchmark URL FILE

import Foundation
import FoundationNetworking

guard CommandLine.arguments.count == 3, let url = URL(string: CommandLine.arguments[1]) else {
    print("usage: FoundationBenchmark URL FILE")
    exit(64)
}
let target = URL(fileURLWithPath: CommandLine.arguments[2])
let done = DispatchSemaphore(value: 0)
let task = URLSession(configuration: .default).downloadTask(with: url) { file, _, error in
    do {
        if let error { throw error }
        guard let file else { throw URLError(.unknown) }
        try FileManager.default.moveItem(at: file, to: target)
    } catch {
        print(error)
        exit(1)
    }
    done.signal()
}
task.resume()
done.wait()
