import FerryFoundation
import FerryTesting
import Foundation
import Glibc
import Testing

/// Folders and names in Latin-1, in other forms of the same letters, and folders that are gone (docs/behaviour/transfers.md#F14).
@Suite(.serialized, .timeLimit(.minutes(1)))
struct `F14 a path` {
    private static let body = SeededBody(seed: 98, size: 9_000)
    /// The bytes of “Müsik” in Latin-1.
    private static let latin: [UInt8] = [0x4D, 0xFC, 0x73, 0x69, 0x6B]

    /// Runs `ferry` by a shell script, in which `$0` is the program and `$1` the URL.
    private func run(_ script: String, _ ferry: DaemonFixture, _ url: String) async throws -> CommandResult {
        let program = try BuiltProgram.ferry.path()
        return await (try ferry.spawnApp(["-c", script, program, url], program: "/bin/sh")).result()
    }

    private static func names(_ folder: String) -> [[UInt8]] {
        guard let open = folder.withPath({ unsafe opendir($0) }) else { return [] }
        defer { unsafe closedir(open) }
        var names: [[UInt8]] = []
        while let entry = unsafe readdir(open) {
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { unsafe Array($0.prefix { $0 != 0 }) }
            if !name.starts(with: [UInt8(ascii: ".")]) { names.append(name) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    @Test(arguments: [
        (#"cd "$(printf 'M\374sik')" && exec "$0" get -q "$1""#, "M\u{10FEFC}sik", "a.bin"),
        (#"exec "$0" get -q "$1" -d "$(printf 'M\374sik')""#, "M\u{10FEFC}sik", "a.bin"),
        (#"exec "$0" get -q "$1" -o "$(printf 'M\374sik/M\374')""#, "M\u{10FEFC}sik", "M\u{10FEFC}"),
        (#"exec "$0" get -q "$1" -d "$(printf 'made/M\374')""#, "made/M\u{10FEFC}", "a.bin"),
        // Letters with their marks apart.
        (#"exec "$0" get -q "$1" -d "$(printf 'Mu\314\210sik')""#, "Mu\u{308}sik", "a.bin"),
        (
            #"mkdir "$(printf 'M\303\274sik')"; exec "$0" get -q "$1" -d "$(printf 'Mu\314\210sik')""#, "Mu\u{308}sik",
            "a.bin"
        ),
    ])
    func `has its bytes`(script: String, folder: String, name: String) async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let place = ferry.file("files")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            _ = (place + "/M\u{10FEFC}sik").withPath { unsafe mkdir($0, 0o755) }
            let url = origin.url().replacing("file.bin", with: "a.bin")
            let result = try await run("cd '\(place)' && \(script)", ferry, url)
            #expect(result.status == 0, "\(result)")
            #expect(Self.names(place + "/" + folder) == [name.pathBytes])
            // No other folder was made.
            let lossy = "\(place)/M\u{FFFD}sik"
            #expect(!FileManager.default.fileExists(atPath: lossy))
            let list = try await ferry.run(["list", "--all"])
            #expect(!list.stdout.utf8.contains(0xF4), "\(list)")
        }
    }

    @Test(arguments: [#""$0" get -q "$1""#, #""$0" get -q "$1" -d sub"#, #""$0" get -q "$1" -o x"#, #""$0" add "$1""#])
    func `from a folder that is gone is refused`(command: String) async throws {
        try await withDaemon(OriginScript(Self.body)) { ferry, origin in
            let place = ferry.file("files")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: false)
            let script = "mkdir '\(place)/gone' && cd '\(place)/gone' && rmdir '\(place)/gone' && exec \(command)"
            let result = try await run(script, ferry, origin.url())
            #expect(result.status == 64, "\(result)")
            #expect(result.stderr.contains("The current folder no longer exists"), "\(result)")
            #expect(Self.names(place).isEmpty)
            #expect(origin.requests.isEmpty)
        }
    }
}
