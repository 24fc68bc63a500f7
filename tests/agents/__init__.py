"""Real agents against a model of our own on the loopback interface: `make test-full`, where their programs are found."""
