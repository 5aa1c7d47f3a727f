import ArgumentParser
import FerryCore

/// Answers a browser extension.
struct NativeHostCommand: FerrySubcommand {
    static let configuration = CommandConfiguration(
        verb: "native-host", abstract: "Answer a browser extension, which starts this command.",
        discussion: """
            The extension hands over downloads with their cookies. Debian's package registers this command with the browsers; elsewhere \
            --install does so for the user. Messages are JSON with a length prefix, on standard input and output.
            """)
    static let exitStatuses: [ExitStatus] = [
        .success, .own, ExitStatus(.destination), .usage,
    ]

    @Flag(help: "Register with each of the user's browsers, and print what was done for it.")
    var install = false

    @Option(
        help: ArgumentHelp("Print the manifest for chromium or firefox, for packages.", valueName: "browser"))
    var manifest: NativeManifest.Kind?

    @Option(help: ArgumentHelp("The program that the manifest names.", valueName: "file"), completion: .file())
    var path = "/usr/lib/ferry/native-host"

    @Argument(help: ArgumentHelp("Arguments from the browser.", visibility: .hidden))
    var words: [String] = []

    func run(in context: CommandContext) async throws -> Int32 {
        if let manifest {
            context.console.print([try JSONText.line(NativeManifest(manifest, path: path))])
        } else if install {
            return report(try NativeInstallation(in: context).install(), in: context)
        } else if context.console.isTerminal(.output) {
            throw ValidationError("A browser starts this command; ferry native-host --install tells browsers of it.")
        } else {
            await NativeHost(context) { context.console.write($0[...]) }.serve(StandardInput.chunks())
        }
        return 0
    }

    /// Prints one line per browser, and what the user has to do.
    private func report(_ outcomes: [NativeInstallation.Outcome], in context: CommandContext) -> Int32 {
        for outcome in outcomes {
            context.console.print(["\(outcome.browser): \(outcome.file?.escapingControls ?? "not registered")"])
            if let advice = outcome.advice { context.console.say("ferry: \(outcome.browser): \(advice)") }
        }
        if outcomes.isEmpty {
            context.console.say(
                """
                ferry: No known browser is installed. For another one, write what \
                `ferry native-host --manifest firefox` prints (or chromium) into its folder of native messaging hosts.
                """)
        }
        return outcomes.contains { $0.file != nil } || outcomes.isEmpty ? 0 : ErrorExit.own.rawValue
    }
}

extension NativeManifest.Kind: ExpressibleByArgument {}
