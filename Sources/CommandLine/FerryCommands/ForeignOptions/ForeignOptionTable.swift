import ArgumentParser
import FerryCore

/// The accepted options of other programs, by name.
enum ForeignOptionTable {
    static let words: [String: ForeignOption] = {
        var table: [String: ForeignOption] = [:]
        for habit in all { for name in habit.names { table[name] = habit } }
        return table
    }()

    private static let all = usual + renamed + counted + elsewhere

    /// Default behavior of Ferry.
    private static let usual = [
        ForeignOption("-L", "--location", "--follow", meaning: .usual),
        ForeignOption("-O", "--remote-name", "--remote-name-all", meaning: .usual),
        ForeignOption("-J", "--remote-header-name", "--content-disposition", meaning: .usual),
        ForeignOption("-c", "--continue", meaning: .usual),
        ForeignOption("-f", "--fail", "--fail-with-body", "-S", "--show-error", meaning: .usual),
        ForeignOption("-#", "--progress-bar", "--show-progress", "--no-progress-meter", meaning: .usual),
        ForeignOption("-n", "--netrc", "--netrc-optional", meaning: .usual),
        ForeignOption("-nv", "--no-verbose", "-nd", "--no-directories", meaning: .usual),
        ForeignOption("--create-dirs", "-Z", "--parallel", "-g", "--globoff", meaning: .usual),
        ForeignOption("--retry-connrefused", "--retry-all-errors", "--retry-on-http-error", meaning: .usual),
        ForeignOption("--no-buffer", "--remove-on-error", "--use-server-timestamps", meaning: .usual),
    ]

    /// Options with another name in Ferry.
    private static let renamed = [
        ForeignOption("-P", "--directory-prefix", "--dir", "--output-dir", meaning: .option("--folder")),
        ForeignOption("--output-document", "--out", meaning: .option("--output")),
        ForeignOption("-U", meaning: .value(agent)),
        ForeignOption("-E", "--certificate", meaning: .option("--cert")),
        ForeignOption("--private-key", meaning: .option("--key")),
        ForeignOption("--ca-certificate", meaning: .option("--cacert")),
        ForeignOption("--no-check-certificate", meaning: .words(["--insecure"])),
        ForeignOption("--check-certificate", meaning: .value { $0 == "false" ? ["--insecure"] : [] }),
        ForeignOption("--max-redirect", meaning: .option("--max-redirs")),
        ForeignOption("--retry", meaning: .option("--retries")),
        ForeignOption("--split", "--max-connection-per-server", meaning: .option("--connections")),
        ForeignOption("--max-download-limit", meaning: .option("--limit-rate")),
        ForeignOption("--load-cookies", meaning: .option("--cookie")),
        ForeignOption("--inet4-only", meaning: .words(["--ipv4"])),
        ForeignOption("--inet6-only", meaning: .words(["--ipv6"])),
        ForeignOption("--disable-ipv6", meaning: .value { $0 == "false" ? [] : ["--ipv4"] }),
        ForeignOption("--netrc-path", meaning: .option("--netrc-file")),
        ForeignOption("--http-auth-challenge", meaning: .value { $0 == "false" ? ["--auth-no-challenge"] : [] }),
        ForeignOption("-R", meaning: .words(["--remote-time"])),
        ForeignOption("-N", "--timestamping", meaning: .words(["--on-conflict", "update"])),
        ForeignOption("-nc", "--no-clobber", meaning: .words(["--on-conflict", "skip"])),
        ForeignOption("--allow-overwrite", meaning: .value { $0 == "true" ? ["--on-conflict", "replace"] : [] }),
        ForeignOption("--auto-file-renaming", meaning: .value { $0 == "false" ? ["--on-conflict", "fail"] : [] }),
        ForeignOption("-s", "--silent", meaning: .words(["--quiet"])),
        ForeignOption("--no-proxy", meaning: .words(["--proxy", ""])),
        ForeignOption("--http-proxy", "--https-proxy", "--all-proxy", meaning: .option("--proxy")),
        ForeignOption("--socks5", meaning: .value { ["--proxy", "socks5://\($0)"] }),
        ForeignOption("--socks5-hostname", meaning: .value { ["--proxy", "socks5h://\($0)"] }),
        ForeignOption("--url", meaning: .value { [$0] }),
        ForeignOption("--method", meaning: .option("--request")),
        ForeignOption("--post-data", "--body-data", meaning: .option("--data-raw")),
        ForeignOption("--post-file", "--body-file", meaning: .value { ["--data-binary", "@\($0)"] }),
    ]

    /// Numbers with a slightly different meaning.
    private static let counted = [
        ForeignOption("-t", "--tries", "--max-tries", meaning: .value(attempts)),
        ForeignOption("-T", meaning: .value(timeout)),
        ForeignOption("--timeout", meaning: .value { ["--connect-timeout", $0, "--read-timeout", $0] }),
        ForeignOption("-C", "--continue-at", meaning: .value(offset)),
    ]

    private static let elsewhere = [
        ForeignOption(
            "-0", "--http1.0", "--http1.1", "--http2", "--http3",
            meaning: .advice("Ferry chooses the version of HTTP; leave it out.")),
        ForeignOption(
            "-j", "--max-concurrent-downloads", "--parallel-max",
            meaning: .advice("ferry limit --active NUMBER sets the number of files fetched at the same time.")),
        ForeignOption("-v", "--verbose", meaning: .advice("ferry info last shows the details of a transfer.")),
        ForeignOption(
            "-D", "--dump-header",
            meaning: .advice("-I shows the header fields of a response, and ferry info --json those of a transfer.")),
        ForeignOption("--daemon", "--background", meaning: .advice("ferry add submits transfers and returns at once.")),
        ForeignOption(
            "-w", "--write-out", meaning: .advice("--json prints all properties of a transfer once it has finished.")),
        ForeignOption(
            "-z", "--time-cond", meaning: .advice("-N fetches a file only if the server has another version.")),
        ForeignOption("--spider", meaning: .advice("-I requests only the head of the response.")),
        ForeignOption(
            "--recursive", "-p", "--page-requisites", "-np", "--no-parent",
            meaning: .advice("Ferry fetches files, not whole sites: -i takes a list of URLs.")),
        ForeignOption(
            "-F", "--form", "-G", "--get", "--data-urlencode",
            meaning: .advice("ferry put --data-form NAME=@FILE URL sends a form; --data sends a body as it is.")),
        ForeignOption(
            "--upload-file",
            meaning: .advice("ferry put FILE URL uploads a file.")),
        ForeignOption(
            "-K", "--config", "--conf-path",
            meaning: .advice("Ferry does not read options from a file; give them on the command line.")),
        ForeignOption(
            "--password", "--http-password", "--http-passwd",
            meaning: .advice("write -u USER:PASSWORD, or -u USER with --password-stdin.")),
        ForeignOption("--http-user", meaning: .advice("write -u USER:PASSWORD.")),
        ForeignOption(
            "--proxy-user", meaning: .advice("write them into the proxy's URL: --proxy http://USER:PASSWORD@HOST:PORT.")
        ),
        ForeignOption(
            "--retry-delay", "--waitretry", "--retry-wait", "--retry-max-time",
            meaning: .advice(
                "Ferry increases the delay after each failure by itself; --retries sets the number of retries.")),
    ]

    // MARK: Values

    @Sendable private static func agent(_ value: String) throws(ValidationError) -> [String] {
        guard value.contains(":"), !value.contains(" "), !value.contains("/") else { return ["--user-agent", value] }
        throw ValidationError(
            "write the proxy's user and password into its URL: --proxy http://USER:PASSWORD@HOST:PORT.")
    }

    /// wget and aria2 count the first attempt, and 0 means unlimited.
    @Sendable private static func attempts(_ value: String) throws(ValidationError) -> [String] {
        if value == "0" || value == "inf" {
            return ["--retries", String(SettingRange<Int>.retries.allowed.upperBound)]
        }
        guard let attempts = Int(value), attempts > 0 else {
            throw ValidationError("“\(value.escapingControls)” is not a number of attempts.")
        }
        return ["--retries", String(attempts - 1)]
    }

    @Sendable private static func timeout(_ value: String) throws(ValidationError) -> [String] {
        guard Double(value) != nil else {
            throw ValidationError("ferry put FILE URL uploads a file.")
        }
        return ["--connect-timeout", value, "--read-timeout", value]
    }

    @Sendable private static func offset(_ value: String) throws(ValidationError) -> [String] {
        guard value != "-" else { return [] }
        throw ValidationError(
            "Ferry continues where an earlier command stopped; -r \(value.escapingControls)- fetches what follows a byte."
        )
    }

    // MARK: Letters

    /// Whether a letter, a flag in one program, has a value as in another: `-s 16` is aria2's, `-O name` wget's.
    static func mayHaveValue(_ letter: Character, joined: Substring, _ rest: ArraySlice<String>) -> Bool {
        switch letter {
        case "s": return isNumber(joined.isEmpty ? rest.first ?? "" : String(joined))
        case "O":
            guard joined.isEmpty else { return !joined.allSatisfy { "LJOfsSkq#RNgnCIvZ".contains($0) } }
            // The name precedes the URL, or is standard output.
            guard let next = rest.first, !next.contains("://"), next == "-" || !next.hasPrefix("-") else {
                return false
            }
            return next == "-" || rest.dropFirst().contains { $0.contains("://") }
        default: return false
        }
    }

    /// The equivalent words for a letter with a value.
    static func words(for letter: Character, value: String) throws(ValidationError) -> [String] {
        switch letter {
        case "s": return ["--connections", value]
        case "O": return ["--output", value]
        // curl's proxy.
        case "x" where Int(value) == nil && (value.contains(":") || value.isEmpty): return ["--proxy", value]
        case "r" where !isRange(value):
            throw ValidationError(
                "-r: “\(value.escapingControls)” is not a range of bytes, such as 0-499 or 500-. Ferry does not fetch whole sites."
            )
        // curl's data.
        case "d" where value.hasPrefix("@") || value.hasPrefix("{") || value.contains("=") && !value.contains("/"):
            throw ValidationError(
                "-d is the folder, and “\(value.escapingControls)” looks like data: --data sends it, --folder uses it as a folder."
            )
        default: break
        }
        let option = "-\(letter)"
        guard let habit = words[option] else { return [option, value] }
        return try habit.words(typed: option, value: value)
    }

    private static func isNumber(_ text: String) -> Bool { !text.isEmpty && text.utf8.allSatisfy(\.isDigit) }

    private static func isRange(_ text: String) -> Bool {
        text.contains("-") && text.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: "-") }
    }
}
