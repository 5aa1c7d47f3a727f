import FerryCore
import FerrySystem
import Testing

@Suite struct `Paths` {
    private func paths(_ environment: [String: String], runUser: Bool = false) throws -> FerryPaths {
        try FerryPaths(environment: environment, userID: 7, isFolder: { runUser && $0 == "/run/user/7" })
    }

    @Test func `the folders are those of the XDG specification`() throws {
        let paths = try paths(["HOME": "/h", "XDG_STATE_HOME": "/s/", "XDG_RUNTIME_DIR": "/r"])
        #expect(paths.stateFolder == "/s/ferry")
        #expect(paths.socket == "/r/ferry/ferryd.sock")
        #expect(paths.lock == "/s/ferry/ferryd.lock")
    }

    @Test func `a variable that is empty or relative counts as unset`() throws {
        let paths = try paths(["HOME": "/h", "XDG_STATE_HOME": "", "XDG_RUNTIME_DIR": "r"])
        #expect(paths.stateFolder == "/h/.local/state/ferry")
    }

    @Test func `without a runtime folder the system's is used, else one in the state folder`() throws {
        #expect(try paths(["HOME": "/h"], runUser: true).socket == "/run/user/7/ferry/ferryd.sock")
        #expect(try paths(["HOME": "/h"]).socket == "/h/.local/state/ferry/run/ferryd.sock")
    }

    @Test func `FERRY_HOME moves everything`() throws {
        let paths = try paths(["FERRY_HOME": "/f//", "HOME": "/h", "XDG_RUNTIME_DIR": "/r", "XDG_STATE_HOME": "/s"])
        #expect(paths.stateFolder == "/f/state")
        #expect(paths.runtimeFolder == "/f/run")
        #expect(throws: ServiceError.self) { try self.paths(["FERRY_HOME": "here"]) }
    }

    @Test func `a socket's path that the system cannot take is refused with what to set`() throws {
        let room = FerryPaths.longestSocketPath - "/ferry/ferryd.sock".utf8.count
        let fits = "/" + String(repeating: "x", count: room - 1)
        #expect(try paths(["HOME": "/h", "XDG_RUNTIME_DIR": fits]).socket.utf8.count == 107)
        let error = #expect(throws: ServiceError.self) { try paths(["HOME": "/h", "XDG_RUNTIME_DIR": fits + "x"]) }
        #expect(error?.message.contains("set XDG_RUNTIME_DIR") == true)
        let home = #expect(throws: ServiceError.self) { try paths(["FERRY_HOME": fits + "xxxxxxx"]) }
        #expect(home?.message.contains("set FERRY_HOME") == true)
    }
}
