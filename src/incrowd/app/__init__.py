"""The workbench: incrowd in the browser. It edits a plan, calls the public functions and shows what they give; it holds
no logic of its own. README.md in this folder says how a page is added.
"""
