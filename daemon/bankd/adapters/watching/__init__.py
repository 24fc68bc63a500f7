"""Changes that others make to the files of a workspace.

watcher reports them, by inotify's hints where the kernel gives them and by polling elsewhere; snapshot decides what
changed.
"""
