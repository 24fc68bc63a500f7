"""The only package that names adapters: it puts a workspace together for a command or the service."""
