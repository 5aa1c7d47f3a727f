// An app with one background session that does what its arguments say and writes down what happens to it.
//
// Usage: BackgroundTestApp SESSION STEP…; see `Step`. Lines go to the file that EVENTS names, so that the processes of one
// app write one story.

import TestAppKit

let arguments = Array(CommandLine.arguments.dropFirst())
let app = TestApp(session: arguments.first ?? "session", steps: arguments.dropFirst().map(Step.init))
app.run(isApplication: arguments.contains("run"))
