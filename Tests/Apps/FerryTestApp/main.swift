// An app with managers of one identifier. It performs commands line by line and logs its events.
//
// Usage: FerryTestApp IDENTIFIER COMMAND…; see `Command`. Further commands are read from standard input, one per line.
// Events are written to standard output, or appended to the file named by `EVENTS`, which all processes of an app
// share.

import TestAppKit

let arguments = Array(CommandLine.arguments.dropFirst())
let app = TestApp(identifier: arguments.first ?? "test", commands: arguments.dropFirst().map(Command.init))
app.run(isApplication: arguments.contains("run"))
