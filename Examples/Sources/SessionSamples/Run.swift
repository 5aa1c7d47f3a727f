// Runs one sample of the articles unchanged, so that a test can check its effect. The program runs until it is ended.
//
//     swift run SessionSamples leave https://example.org/file.iso

import BackgroundURLSession

@main struct Run {
    static let folder = URL(fileURLWithPath: FileManager.default.currentDirectoryPath, isDirectory: true)

    static let samples: [String: @Sendable (URL) async throws -> Void] = [
        "begin": { begin(Files(), $0) },
        "waitForFile": { try await waitForFile($0, folder.appendingPathComponent("waited.bin")) },
        "watchFile": { print(try await watchFile($0).path) },
        "leave": { leave($0) },
        "configure": { url in
            let session = URLSession(configuration: .default, delegate: Files(), delegateQueue: nil)
            configure(session, url, folder.appendingPathComponent("configured.bin"))
        },
    ]

    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count == 3, let sample = samples[words[1]], let url = URL(string: words[2]) else {
            print("usage: SessionSamples SAMPLE URL; samples: \(samples.keys.sorted().joined(separator: " "))")
            exit(64)
        }
        try await sample(url)
        print("returned")
        while true { try await Task.sleep(for: .seconds(60)) }
    }
}
