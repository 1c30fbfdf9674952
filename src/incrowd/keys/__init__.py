"""Where thinking happens: the KeyTable and what is decided on it. No files, no engine."""
