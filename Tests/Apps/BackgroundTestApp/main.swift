// An app with one background session. It runs the steps in its arguments and logs the session's events.
//
// Usage: BackgroundTestApp SESSION STEP…; see `Step`. All processes of the app append to the file named by `EVENTS`.

import TestAppKit

let arguments = Array(CommandLine.arguments.dropFirst())
let app = TestApp(session: arguments.first ?? "session", steps: arguments.dropFirst().map(Step.init))
app.run(isApplication: arguments.contains("run"))
