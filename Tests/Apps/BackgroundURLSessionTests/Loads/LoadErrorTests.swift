import FerryCore
import FerryTesting
import Foundation
import FoundationNetworking
import Testing

@testable import FerryURLSession

@Suite(.timeLimit(.minutes(1))) struct `Errors of TLS` {
    private let body = SeededBody(seed: 91, size: 1000)

    private func check(_ url: URL, _ code: URLError.Code, _ sentence: String) async throws {
        let session = FerryURLSession.URLSession(configuration: .ephemeral)
        for isDownload in [true, false] {
            let error = await #expect(throws: URLError.self) {
                if isDownload {
                    _ = try await session.download(from: url)
                } else {
                    _ = try await session.data(from: url)
                }
            }
            let shown = try #require(error)
            #expect(shown.code.rawValue == code.rawValue)
            #expect(shown.localizedDescription == sentence)
            let cause = (shown as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            #expect(cause?.domain == "FerryErrorDomain" && cause?.localizedDescription == sentence)
            for text in ["\(shown)", String(reflecting: shown), "\(shown as NSError)"] {
                #expect(!text.contains("NIO") && !text.contains("handshakeFailed"), "\(text)")
            }
        }
    }

    @Test func `have the sentence of the error table, and their cause with them`() async throws {
        try await withOrigin(OriginScript(body), tls: .trusted) { origin in
            try await check(
                try #require(URL(string: origin.url())), .serverCertificateUntrusted,
                "The certificate of localhost was issued by “Ferry test authority”, which is not trusted here.")
        }
    }
}
