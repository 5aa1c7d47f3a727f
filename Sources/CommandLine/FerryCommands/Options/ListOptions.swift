import ArgumentParser

/// Options for reading URLs.
struct ListOptions: ParsableArguments {
    @Option(
        name: [.customShort("i", allowingJoined: true), .customLong("input-file")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Read URLs from a file, one per line, or in aria2's format; - is standard input; can be given several times.",
            valueName: "file"),
        completion: .file())
    var inputFile: [String] = []

    @Flag(help: "Expand {a,b}, [1-100] and [a-z:2] in URLs, as curl does.")
    var glob = false
}
