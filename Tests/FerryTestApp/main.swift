// An app with managers of one identifier that does what it is told, line by line, and writes down what happens.
//
// Usage: FerryTestApp IDENTIFIER COMMAND…; see `Command`. More commands come on standard input, one a line. What happens is
// written to standard output, or to the file that EVENTS names, so that the processes of one app write one story.

import TestAppKit

let arguments = Array(CommandLine.arguments.dropFirst())
let app = TestApp(identifier: arguments.first ?? "test", commands: arguments.dropFirst().map(Command.init))
app.run(isApplication: arguments.contains("run"))
