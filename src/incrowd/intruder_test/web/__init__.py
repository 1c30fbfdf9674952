"""The web pages of an intruder test: templates on the server, no script in the browser."""
