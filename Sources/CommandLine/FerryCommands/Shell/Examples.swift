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
                "Fetches the files of a list, and verifies the ones in SHA256SUMS."),
            Example("ferry get -o - https://example.com/data.tar.gz | tar xz", "Unpacks a file while it downloads."),
        ],
        "add": [
            Example("ferry add https://example.com/image.iso", "Submits a download and prints its id."),
            Example("ferry add --begin 22:00 --tag night -i list.txt", "Fetches a list in the evening."),
            Example("ferry add --paused https://example.com/a", "Submits a download that waits for ferry resume."),
        ],
        "put": [
            Example("ferry put photo.jpg https://example.com/photos/", "Uploads a file under its own name."),
            Example(
                "ferry put -X POST -o answer.json backup.tar https://example.com/api",
                "Uploads a file by POST, and saves the response."),
            Example(
                "ferry put --data-form title=Sea --data-form image=@photo.jpg https://example.com/form",
                "Sends a form with a file."),
        ],
        "list": [
            Example("ferry list", "Shows unfinished transfers, and the ones finished in the last day."),
            Example("ferry list --state failed --json", "Prints all failed transfers as JSON."),
            Example("ferry list --url '*.iso' --limit 5", "Shows the five newest transfers of images."),
        ],
        "info": [
            Example("ferry info last", "Shows the newest transfer."),
            Example("ferry info 1a21", "Shows the transfer with this id prefix."),
            Example("ferry info last --json", "Prints all properties as JSON."),
        ],
        "watch": [
            Example("ferry watch", "Follows all transfers until Ctrl-C."),
            Example("ferry watch last", "Follows the newest transfer until it has finished."),
            Example("ferry watch --json | grep failed", "Prints each failure as a line of JSON."),
        ],
        "wait": [
            Example("ferry wait last", "Returns once the newest transfer has finished, with its exit status."),
            Example("ferry wait --tag night", "Waits for all transfers with a tag."),
            Example("ferry wait --all --quiet", "Waits for everything and prints only errors."),
        ],
        "pause": [
            Example("ferry pause last", "Pauses the newest transfer and keeps its bytes."),
            Example("ferry pause --all", "Stops everything."),
            Example("ferry pause --url 'https://example.com/*'", "Pauses all downloads from one server."),
        ],
        "resume": [
            Example(
                "ferry resume last", "Resumes the newest transfer, at once even if its server asked for a pause."),
            Example("ferry resume --state paused", "Resumes all paused transfers."),
            Example("ferry resume 1a21 --wait", "Resumes a transfer and waits for it."),
        ],
        "cancel": [
            Example("ferry cancel last", "Cancels the newest transfer."),
            Example("ferry cancel --tag night", "Cancels all transfers with a tag."),
            Example("ferry cancel --all --yes", "Cancels everything without asking."),
        ],
        "retry": [
            Example("ferry retry last", "Restarts the newest transfer, from the bytes it still has."),
            Example("ferry retry --state failed", "Restarts all failed transfers."),
            Example("ferry retry 1a21 --wait", "Restarts a transfer and waits for it."),
        ],
        "remove": [
            Example("ferry remove last", "Removes the newest transfer from the list and keeps its file."),
            Example("ferry remove 1a21 --delete-file", "Removes a transfer and deletes its file."),
            Example("ferry remove --state canceled --yes", "Removes all canceled transfers."),
        ],
        "clear": [
            Example("ferry clear", "Removes all finished transfers and keeps the files."),
            Example("ferry clear --older-than 7d", "Removes transfers finished a week ago or earlier."),
            Example("ferry clear --session cli", "Removes finished transfers of the command line."),
        ],
        "set": [
            Example(
                "ferry set last --url https://mirror.example/image.iso",
                "Continues with the same bytes from another URL."),
            Example(
                "ferry set last --limit-rate 500k --priority low", "Slows down a transfer and prefers others."),
            Example("ferry set last --begin +2h", "Delays a transfer for two hours."),
        ],
        "limit": [
            Example("ferry limit", "Shows the limits of all transfers."),
            Example("ferry limit 2M --active 3", "Fetches three files at a time, at two MiB per second together."),
            Example("ferry limit none", "Removes the speed limit."),
        ],
        "quit": [
            Example("ferry quit com.example.app", "Quits an app as its user would."),
            Example("ferry quit com.example.app/downloads", "Quits one session of that app."),
            Example("ferry quit com.example.app --json", "Prints each transfer's result as JSON."),
        ],
        "gateway on": [
            Example("ferry gateway on", "Lets aria2 clients on this machine use Ferry, at port 6800."),
            Example("ferry gateway on --port 6801", "Uses another port."),
            Example(
                "ferry gateway on --address 127.0.0.1 --address 192.168.1.2 --certificate ~/c.pem --key ~/k.pem",
                "Listens on the local network too, with TLS."),
        ],
        "gateway off": [
            Example("ferry gateway off", "Closes the port and keeps the settings."),
            Example("ferry gateway off && ferry gateway status", "Closes it and shows its settings."),
            Example("ferry gateway off && ferry gateway secret --new", "Locks out anyone who may have the secret."),
        ],
        "gateway status": [
            Example("ferry gateway status", "Shows the gateway's addresses and what it allows."),
            Example("ferry gateway status --json", "Prints it as JSON."),
            Example("ferry gateway status | grep problem", "Shows why it is not listening."),
        ],
        "gateway secret": [
            Example("ferry gateway secret", "Prints the secret for clients."),
            Example("ferry gateway secret --new", "Replaces it; who has the old one is let in no more."),
            Example("ferry gateway secret | wl-copy", "Copies it for pasting into a client."),
        ],
        "gateway allow": [
            Example("ferry gateway allow https://ariang.example", "Allows a web page to use the gateway."),
            Example("ferry gateway allow --remove https://ariang.example", "Takes that back."),
            Example("ferry gateway allow --host nas.local", "Allows another host name for the gateway."),
        ],
        "gateway folders": [
            Example("ferry gateway folders", "Shows the folders that clients may write to."),
            Example("ferry gateway folders --add /srv/media", "Allows another one, with its subfolders."),
            Example("ferry gateway folders --remove /srv/media", "Takes that back."),
        ],
        "gateway show": [
            Example("ferry gateway show all", "Shows all transfers to aria2 clients."),
            Example("ferry gateway show own", "Shows them only the transfers of session aria2."),
            Example("ferry gateway show own && ferry list --session aria2", "Shows the transfers that they see."),
        ],
        "gateway pair": [
            Example("ferry gateway pair", "Prints a code that pairs one client."),
            Example("ferry gateway pair --json", "Prints it as JSON, with its validity in seconds."),
            Example("ferry gateway pair && ferry gateway clients", "Shows the clients paired so far."),
        ],
        "gateway clients": [
            Example("ferry gateway clients", "Lists the paired clients."),
            Example("ferry gateway clients --remove 2", "Removes one of them."),
            Example("ferry gateway clients --json", "Prints them as JSON."),
        ],
        "native-host": [
            Example("ferry native-host --install", "Registers Ferry with the user's browsers."),
            Example(
                "ferry native-host --manifest firefox > ferry.native_host.json", "Prints the manifest for Firefox."),
            Example(
                "ferry native-host --manifest chromium --path /opt/ferry/native-host",
                "Prints the one for Chromium-based browsers, with another program."),
        ],
        "web": [
            Example("ferry web", "Opens the page."),
            Example("ferry web --print", "Prints its address, for instance to open it through a tunnel."),
            Example("ferry web --print | wl-copy", "Copies its address for pasting into a browser."),
        ],
        "settings": [
            Example("ferry settings", "Shows the daemon's settings with their ranges."),
            Example("ferry settings active_transfers=32 rate_limit=8M", "Changes two of them."),
            Example("ferry settings --json", "Prints them as JSON."),
        ],
        "daemon run": [
            Example("ferry daemon run", "Runs the daemon in the foreground, as a service manager does."),
            Example("FERRY_HOME=/srv/ferry ferry daemon run", "Runs a separate one in another folder."),
            Example("FERRY_LOG_LEVEL=debug ferry daemon run", "Logs everything it does."),
        ],
        "daemon start": [
            Example("ferry daemon start", "Starts the daemon unless it is running."),
            Example("ferry daemon start && ferry list", "Starts it and shows its transfers."),
            Example("FERRY_HOME=/srv/ferry ferry daemon start", "Starts a separate one in another folder."),
        ],
        "daemon stop": [
            Example("ferry daemon stop", "Stops the daemon; the next start continues its transfers."),
            Example("ferry daemon stop && ferry daemon run", "Stops it and runs it in this terminal."),
            Example("FERRY_HOME=/srv/ferry ferry daemon stop", "Stops one in another folder."),
        ],
        "daemon restart": [
            Example("ferry daemon restart", "Restarts the daemon, for example after an update."),
            Example("ferry daemon restart && ferry watch", "Restarts it and watches its transfers continue."),
            Example("FERRY_HOME=/srv/ferry ferry daemon restart", "Restarts one in another folder."),
        ],
        "daemon enable": [
            Example("ferry daemon enable", "Lets systemd start the daemon with the machine."),
            Example("ferry daemon enable --program ~/.local/bin/ferryd", "Uses another program."),
            Example("ferry daemon enable --print", "Prints the unit."),
        ],
        "daemon disable": [
            Example("ferry daemon disable", "Undoes ferry daemon enable."),
            Example("ferry daemon disable && loginctl disable-linger", "Also turns lingering off."),
            Example("ferry daemon disable && ferry list", "Lets the next command start the daemon again."),
        ],
        "daemon status": [
            Example("ferry daemon status", "Shows whether the daemon is running, and its number of transfers."),
            Example("ferry daemon status --json", "Prints that as JSON."),
            Example("ferry daemon status >/dev/null || ferry daemon start", "Starts it if it is not running."),
        ],
        "doctor": [
            Example("ferry doctor", "Looks for problems on this machine."),
            Example("ferry doctor --json", "Prints the findings as JSON."),
            Example("https_proxy=http://proxy:3128 ferry doctor", "Checks whether a proxy can be used."),
        ],
        "fleet": [
            Example("ferry fleet status", "Shows the workers of a fleet and its jobs."),
            Example("ferry fleet add --to /srv/results URL", "Adds a job to the fleet's queue."),
            Example("ferry fleet run", "Runs this machine's worker."),
        ],
        "completions": [
            Example(
                "ferry completions bash > ~/.local/share/bash-completion/completions/ferry",
                "Installs completions for bash."),
            Example("ferry completions zsh > ~/.zfunc/_ferry", "Installs completions for zsh."),
            Example("ferry completions fish > ~/.config/fish/completions/ferry.fish", "Installs completions for fish."),
        ],
        "manual": [
            Example("ferry manual get | man -l -", "Shows the page of ferry get."),
            Example("ferry manual | man -l -", "Shows the page of ferry."),
            Example("ferry manual daemon status > ferry-daemon-status.1", "Writes a page to a file."),
        ],
    ]
}
