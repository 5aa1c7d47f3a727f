/// One thing that the app does, written `name` or `name=argument`.
///
/// | step | what it does |
/// |---|---|
/// | `run` | uses `BackgroundApplication.run(delegate:)` |
/// | `register=STEPS` | registers this program with its session and these steps, separated by commas, as the launch command |
/// | `session` | opens the session, as every step does that needs it |
/// | `discretionary`, `no-launch-events` | configures the session; comes before it is opened |
/// | `create=URL`, `download=URL`, `data=URL` | makes a task; `download` and `data` resume it |
/// | `upload=URL FILE` | uploads a file |
/// | `bytes=ID N` | waits until the task has received N bytes |
/// | `resume=ID`, `suspend=ID`, `cancel=ID` | what the names say |
/// | `cancel-data=ID FILE` | cancels and keeps the resume data in a file |
/// | `continue=FILE` | makes and resumes a task from resume data |
/// | `tasks` | writes down all tasks |
/// | `completions=N` | waits until so many tasks have completed |
/// | `completed=ID` | waits until the task has completed |
/// | `events-finished` | waits until the session has said that its events are over |
/// | `active` | becomes active |
/// | `store=FOLDER N` | stores N responses in a cache of 4 MiB, and writes down each hundredth |
/// | `look=FOLDER N` | looks for N such responses, and writes down how many there are, and how many are not as stored |
/// | `exit` | ends the process |
/// | `exit-in-completion` | ends the process inside the first `didCompleteWithError` |
/// | `no-handler` | never calls a completion handler |
struct Step {
    let name: String
    let words: [String]

    init(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1)
        name = String(parts.first ?? "")
        words = parts.count > 1 ? parts[1].split(separator: " ").map(String.init) : []
    }
}
