import ArgumentParser
import FerryClient
import FerryCore

/// Requests response heads only, and prints status lines and fields.
struct HeadOutput {
    let context: CommandContext
    let retries: RetryLimits
    let isQuiet: Bool

    /// - Parameter template: The common request. Method and folder are set here.
    /// - Returns: The exit status: that of a `get` of the first URL without a success status.
    func run(_ template: TransferRequest, _ urls: [String]) async throws -> Int32 {
        let requests = urls.map { url in
            var request = template
            request.url = url
            return request
        }
        let fetch = HeadFetch(context: context, retries: retries, messages: isQuiet ? .failures : .progress)
        switch try await fetch.run(requests) {
        case .stopped(let signal): return signal.exitStatus
        case .ended(let final):
            let responses = final.map(\.response)
            for case let response? in responses { context.console.print(Self.lines(response)) }
            return zip(final, responses).lazy.map { $1.map(Self.exitStatus) ?? $0.exitStatus }.first { $0 != 0 } ?? 0
        }
    }

    private static func lines(_ response: ResponseFacts) -> [String] {
        ["\(response.version) \(response.status)"]
            + response.fields.map { "\($0.name): \($0.value)".escapingControls } + [""]
    }

    private static func exitStatus(_ response: ResponseFacts) -> Int32 {
        switch response.status {
        case ..<400: 0
        case 401, 403: ErrorCode.authRequired.row.exitStatus
        case 404, 410: ErrorCode.notFound.row.exitStatus
        default: ErrorCode.httpStatus.row.exitStatus
        }
    }
}
