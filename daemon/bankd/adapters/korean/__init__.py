"""The Kiwi worker: a process of its own that takes Korean apart, and the caches of what it gave."""
