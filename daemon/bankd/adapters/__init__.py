"""The outside world, one file a thing."""
