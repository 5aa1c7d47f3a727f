import FerryTesting
import Foundation
import Testing

@testable import FerryURLSession

@Suite(.timeLimit(.minutes(1))) struct `A task of a file or data URL` {
    @Test func `15 an awaited download is a file that stays`() async throws {
        let session = FerryURLSession.URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        let address = try #require(URL(string: "data:text/plain,whole"))
        let (file, response) = try await session.download(from: address)
        #expect(try String(contentsOf: file, encoding: .utf8) == "whole" && response.mimeType == "text/plain")
        try FileManager.default.removeItem(at: file)
    }

    @Test func `15 a file URL brings its bytes`() async throws {
        try await withTemporaryFolder { folder in
            let source = URL(fileURLWithPath: folder.file("source"))
            try Data("bytes".utf8).write(to: source)
            let session = FerryURLSession.URLSession(configuration: .ephemeral)
            let (data, _) = try await session.data(from: source)
            #expect(data == Data("bytes".utf8))
            let error = await #expect(throws: URLError.self) {
                try await session.data(from: URL(fileURLWithPath: folder.file("none")))
            }
            #expect(error?.code == .fileDoesNotExist)
            session.invalidateAndCancel()
        }
    }
}
