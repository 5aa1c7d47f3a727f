/// An example command line with a description.
struct Example {
    let line: String
    let meaning: String

    init(_ line: String, _ meaning: String) {
        self.line = line
        self.meaning = meaning
    }

    /// The examples of a command.
    static func of(_ words: [String]) -> [Example] { all[words.joined(separator: " "), default: []] }

    private static let all: [String: [Example]] = [
        "get": [
            Example("ferry get https://example.com/image.iso", "Fetches a file into the current folder."),
            Example(
                "ferry get -d ~/Downloads --checksums SHA256SUMS -i list.txt",
                "Fetches the files of a list, and verifies those that SHA256SUMS names."),
            Example("ferry get -o - https://example.com/data.tar.gz | tar xz", "Unpacks a file while it comes."),
        ],
        "add": [
            Example("ferry add https://example.com/image.iso", "Hands a file over and prints its id."),
            Example("ferry add --begin 22:00 --tag night -i list.txt", "Fetches a list in the evening."),
            Example("ferry add --paused https://example.com/a", "Hands a file over that waits for ferry resume."),
        ],
        "put": [
            Example("ferry put photo.jpg https://example.com/photos/", "Uploads a file under its own name."),
            Example(
                "ferry put -X POST -o answer.json backup.tar https://example.com/api",
                "Uploads a file by POST, and keeps the answer in a file."),
            Example(
                "ferry put --data-form title=Sea --data-form image=@photo.jpg https://example.com/form",
                "Sends a form with a file."),
        ],
        "list": [
            Example("ferry list", "Shows what is open, and what ended in the last day."),
            Example("ferry list --state failed --json", "Prints all failed transfers as JSON."),
            Example("ferry list --url '*.iso' --limit 5", "Shows the five newest transfers of images."),
        ],
        "info": [
            Example("ferry info last", "Shows the newest transfer."),
            Example("ferry info 1a21", "Shows the one transfer whose id begins so."),
            Example("ferry info last --json", "Prints all facts as JSON."),
        ],
        "watch": [
            Example("ferry watch", "Follows all transfers until Ctrl-C."),
            Example("ferry watch last", "Follows the newest transfer until it has ended."),
            Example("ferry watch --json | grep failed", "Prints each failure as a line of JSON."),
        ],
        "wait": [
            Example("ferry wait last", "Returns once the newest transfer has ended, with its exit status."),
            Example("ferry wait --tag night", "Waits for all transfers with a tag."),
            Example("ferry wait --all --quiet", "Waits for everything and prints errors alone."),
        ],
        "pause": [
            Example("ferry pause last", "Stops the newest transfer and keeps its bytes."),
            Example("ferry pause --all", "Stops everything."),
            Example("ferry pause --url 'https://example.com/*'", "Stops what comes from one server."),
        ],
        "resume": [
            Example(
                "ferry resume last", "Lets the newest transfer go on, and asks a server that wants a pause at once."),
            Example("ferry resume --state paused", "Lets all that is paused go on."),
            Example("ferry resume 1a21 --wait", "Lets a transfer go on and waits for it."),
        ],
        "cancel": [
            Example("ferry cancel last", "Ends the newest transfer."),
            Example("ferry cancel --tag night", "Ends all transfers with a tag."),
            Example("ferry cancel --all --yes", "Ends everything without a question."),
        ],
        "retry": [
            Example("ferry retry last", "Starts the newest transfer again, from the bytes it still has."),
            Example("ferry retry --state failed", "Starts all that failed again."),
            Example("ferry retry 1a21 --wait", "Starts a transfer again and waits for it."),
        ],
        "remove": [
            Example("ferry remove last", "Forgets the newest transfer and keeps its file."),
            Example("ferry remove 1a21 --delete-file", "Forgets a transfer and deletes its file."),
            Example("ferry remove --state canceled --yes", "Forgets all that was canceled."),
        ],
        "clear": [
            Example("ferry clear", "Forgets all that has ended and keeps the files."),
            Example("ferry clear --older-than 7d", "Forgets what ended a week ago or earlier."),
            Example("ferry clear --session cli", "Forgets what the command line has fetched."),
        ],
        "set": [
            Example(
                "ferry set last --url https://mirror.example/image.iso",
                "Goes on with the same bytes at another address."),
            Example(
                "ferry set last --limit-rate 500k --priority low", "Makes a transfer slower and lets others go first."),
            Example("ferry set last --begin +2h", "Lets a transfer wait for two hours."),
        ],
        "limit": [
            Example("ferry limit", "Shows the limits of all transfers."),
            Example("ferry limit 2M --active 3", "Fetches three files at a time, at two MiB per second together."),
            Example("ferry limit none", "Takes the limit of the speed away."),
        ],
        "quit": [
            Example("ferry quit com.example.app", "Quits an app as its user would."),
            Example("ferry quit com.example.app/downloads", "Quits the one of several sessions of that identifier."),
            Example("ferry quit com.example.app --json", "Prints as JSON what came of each transfer."),
        ],
        "gateway on": [
            Example("ferry gateway on", "Lets clients of aria2 on this machine use Ferry, at port 6800."),
            Example("ferry gateway on --port 6801", "Takes another port."),
            Example(
                "ferry gateway on --address 127.0.0.1 --address 192.168.1.2 --certificate ~/c.pem --key ~/k.pem",
                "Listens on the local network too, with TLS."),
        ],
        "gateway off": [
            Example("ferry gateway off", "Closes the port; the settings stay."),
            Example("ferry gateway off && ferry gateway status", "Closes it and shows what is left."),
            Example("ferry gateway off && ferry gateway secret --new", "Shuts out who may have the secret."),
        ],
        "gateway status": [
            Example("ferry gateway status", "Shows where the gateway answers and what it allows."),
            Example("ferry gateway status --json", "Prints it as JSON."),
            Example("ferry gateway status | grep problem", "Shows what keeps it from answering."),
        ],
        "gateway secret": [
            Example("ferry gateway secret", "Prints what clients have to show."),
            Example("ferry gateway secret --new", "Replaces it; who has the old one is let in no more."),
            Example("ferry gateway secret | wl-copy", "Copies it, to be pasted into a client."),
        ],
        "gateway allow": [
            Example("ferry gateway allow https://ariang.example", "Lets a web page use the gateway."),
            Example("ferry gateway allow --remove https://ariang.example", "Takes that back."),
            Example("ferry gateway allow --host nas.local", "Lets clients call the gateway by another name."),
        ],
        "gateway folders": [
            Example("ferry gateway folders", "Shows the folders that clients may put files into."),
            Example("ferry gateway folders --add /srv/media", "Allows another one, with the folders below."),
            Example("ferry gateway folders --remove /srv/media", "Takes that back."),
        ],
        "gateway show": [
            Example("ferry gateway show all", "Lets clients of aria2 see and change all transfers."),
            Example("ferry gateway show own", "Lets them see those of session aria2 alone."),
            Example("ferry gateway show own && ferry list --session aria2", "Shows what they see."),
        ],
        "gateway pair": [
            Example("ferry gateway pair", "Prints a code that makes one client known."),
            Example("ferry gateway pair --json", "Prints it as JSON, with the seconds for which it is good."),
            Example("ferry gateway pair && ferry gateway clients", "Shows whom earlier codes have made known."),
        ],
        "gateway clients": [
            Example("ferry gateway clients", "Lists the clients that were paired."),
            Example("ferry gateway clients --remove 2", "Shuts one of them out."),
            Example("ferry gateway clients --json", "Prints them as JSON."),
        ],
        "native-host": [
            Example("ferry native-host --install", "Tells the user's browsers where Ferry is."),
            Example(
                "ferry native-host --manifest firefox > ferry.native_host.json", "Prints the manifest for Firefox."),
            Example(
                "ferry native-host --manifest chromium --path /opt/ferry/native-host",
                "Prints the one for Chromium and its kin, with another program."),
        ],
        "web": [
            Example("ferry web", "Opens the page."),
            Example("ferry web --print", "Prints its address, for instance to open it through a tunnel."),
            Example("ferry web --print | wl-copy", "Copies its address, to be pasted into a browser."),
        ],
        "settings": [
            Example("ferry settings", "Shows the daemon's settings with their ranges."),
            Example("ferry settings active_transfers=32 rate_limit=8M", "Changes two of them."),
            Example("ferry settings --json", "Prints them as JSON."),
        ],
        "daemon run": [
            Example("ferry daemon run", "Runs the daemon in the foreground, as a service manager does."),
            Example("FERRY_HOME=/srv/ferry ferry daemon run", "Runs one of its own in another folder."),
            Example("FERRY_LOG_LEVEL=debug ferry daemon run", "Shows all that it does."),
        ],
        "daemon start": [
            Example("ferry daemon start", "Starts the daemon unless it runs."),
            Example("ferry daemon start && ferry list", "Starts it and shows what it has to do."),
            Example("FERRY_HOME=/srv/ferry ferry daemon start", "Starts one of its own in another folder."),
        ],
        "daemon stop": [
            Example("ferry daemon stop", "Stops the daemon; the next start goes on with its transfers."),
            Example("ferry daemon stop && ferry daemon start", "Starts it anew, as after an update."),
            Example("FERRY_HOME=/srv/ferry ferry daemon stop", "Stops one in another folder."),
        ],
        "daemon status": [
            Example("ferry daemon status", "Says whether the daemon runs, and with how many transfers."),
            Example("ferry daemon status --json", "Prints that as JSON."),
            Example("ferry daemon status >/dev/null || ferry daemon start", "Starts it if it does not run."),
        ],
        "doctor": [
            Example("ferry doctor", "Looks for what keeps Ferry from working on this machine."),
            Example("ferry doctor --json", "Prints what was found as JSON."),
            Example("https_proxy=http://proxy:3128 ferry doctor", "Looks whether a proxy can be used."),
        ],
        "completions": [
            Example("ferry completions bash > ~/.local/share/bash-completion/completions/ferry", "Completes for bash."),
            Example("ferry completions zsh > ~/.zfunc/_ferry", "Completes for zsh."),
            Example("ferry completions fish > ~/.config/fish/completions/ferry.fish", "Completes for fish."),
        ],
        "manual": [
            Example("ferry manual get | man -l -", "Shows the page of ferry get."),
            Example("ferry manual | man -l -", "Shows the page of ferry."),
            Example("ferry manual daemon status > ferry-daemon-status.1", "Writes a page to a file."),
        ],
    ]
}
