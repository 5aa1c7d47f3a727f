import FerryCore
import FerryEngine
import FerryRules
import FerryTesting
import Foundation
import Testing

/// Runs `body` with an engine and a scripted origin. Requests may have any method and fields.
func withClient<Result>(
    _ script: OriginScript, tls: TLSFault? = nil, configured change: (inout Engine.Configuration) -> Void = { _ in },
    _ location: SourceLocation = #_sourceLocation, _ body: (EngineHarness, ScriptedOrigin) async throws -> Result
) async throws -> Result {
    try await withOrigin(script, tls: tls) { origin in
        try await withEngine(
            configured: { configuration in
                if let file = origin.caFile {
                    configuration.trust = TrustRoots(environment: ["SSL_CERT_FILE": file])
                }
                change(&configuration)
            }, location
        ) { harness in try await body(harness, origin) }
    }
}

extension EngineHarness {
    /// Returns a request with the settings of a session's task.
    func task(_ url: String, _ change: (inout TransferRequest) -> Void = { _ in }) -> TransferRequest {
        request(url) { request in
            request.file.name = "file.bin"
            request.file.onConflict = .replace
            request.response.statusPolicy = .any
            request.transport.foreignFields = .keep
            request.transport.redirects.allowPrivateRedirects = true
            request.note = ClientNote(application: "app", identifier: "session", task: 1, kind: .download, data: "")
            change(&request)
        }
    }

    var fileBytes: [UInt8] { (try? Data(contentsOf: URL(filePath: path("file.bin")))).map(Array.init) ?? [] }
}
