// The types of sessions, which come with those of managers.

@_exported public import BackgroundURLSession
