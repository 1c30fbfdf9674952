"""The office: the pages of those who run a test. They show the truth, so they have a server of their own."""
