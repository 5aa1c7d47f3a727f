// An app that downloads in the background. Kill it in the middle: the daemon finishes the download and starts the app
// again to take the file.
//
//     swift run Relaunched https://example.org/large.bin ~/Downloads

import BackgroundURLSession

BackgroundApplication.shared.run(delegate: Downloader())
