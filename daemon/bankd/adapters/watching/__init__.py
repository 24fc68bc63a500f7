"""Changes that others make to the files of a workspace: inotify's hints, and snapshots that tell for certain."""
