"""The workbench: incrowd in the browser, on this machine only. `tasks/app.py` starts it."""
