/// Arguments, environment and current folder of this process, with every byte: see PathBytes.swift.
package enum ThisProcess {
    /// The arguments, with the program's name first.
    package static var arguments: [String] {
        (0..<Int(CommandLine.argc)).compactMap { index in
            guard let argument = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe String(path: UnsafeRawBufferPointer(start: argument, count: strlen(argument)))
        }
    }

    /// The environment variables.
    package static var environment: [String: String] {
        var variables = ProcessInfo.processInfo.environment
        // Foundation replaces bytes that are not UTF-8. /proc/self/environ has the original ones (proc_pid_environ(5)).
        guard variables.values.contains(where: { $0.unicodeScalars.contains("\u{FFFD}") }),
            let bytes = FileManager.default.contents(atPath: "/proc/self/environ")
        else { return variables }
        for entry in bytes.split(separator: 0) {
            guard let mark = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(path: entry[..<mark])
            guard variables[name]?.unicodeScalars.contains("\u{FFFD}") == true else { continue }
            variables[name] = String(path: entry[entry.index(after: mark)...])
        }
        return variables
    }

    /// The absolute path of the current folder, or `nil` if it was removed or cannot be named (getcwd(3)).
    package static var currentFolder: String? {
        // The longest path that the kernel names takes one page.
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        guard unsafe getcwd(&bytes, bytes.count) != nil else { return nil }
        let path = String(path: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)))
        return path.utf8.first == UInt8(ascii: "/") ? path : nil
    }

    /// The absolute path without links of a path, or `nil` if it does not exist (realpath(3)).
    package static func realPath(_ path: String) -> String? {
        path.withPath { path in
            guard let real = unsafe realpath(path, nil) else { return nil }
            defer { unsafe free(real) }
            return unsafe String(path: UnsafeRawBufferPointer(start: real, count: strlen(real)))
        }
    }

    /// The home folder of the user in the list of users, or nil if the user is not listed, as in many containers.
    package static var userHome: String? {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 16 << 10)
        let status = unsafe getpwuid_r(geteuid(), &entry, &buffer, buffer.count, &found)
        guard status == 0, unsafe found != nil, let home = unsafe entry.pw_dir else { return nil }
        return unsafe String(path: UnsafeRawBufferPointer(start: home, count: strlen(home)))
    }
}
