"""Friendly human intruders: the test's store, its web pages, its scoring.

Only `value` may be imported without the extra `intruders`: the reports need it.
"""
