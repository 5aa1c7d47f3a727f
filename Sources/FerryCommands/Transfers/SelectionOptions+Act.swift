// Ferry: FerryCommands
// Acts on transfers and says what came of it.

import FerryCore

extension SelectionOptions {
    /// Acts on the selected transfers and says what came of it.
    ///
    /// - Returns: The exit status: that of the first transfer on which it failed.
    func act(_ action: TransferAction, json: Bool, in context: CommandContext) async throws -> Int32 {
        let results = try await context.service().act(action, on: selection())
        if json {
            context.console.print(try JSONText.array(results))
        } else {
            for result in results { context.console.say(result.line) }
            if results.isEmpty { context.console.say("There are no transfers to act on.") }
        }
        return results.lazy.compactMap(\.error).first?.code.row.exitStatus ?? 0
    }

}

extension ActionResult {
    /// What came of it, in words.
    var line: String {
        if let error { return "ferry: \(id): \(error.message.escapingControls) (\(error.word.escapingControls))" }
        return "\(id): \(state?.rawValue ?? "removed")"
    }
}
