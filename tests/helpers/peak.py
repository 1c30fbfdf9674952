"""The most memory that a process of a test has used, in KiB, as code to put before what the process runs."""

#: Linux hands the peak of whoever starts a process on to it (ru_maxrss); VmHWM is of the program alone.
PEAK = """
import resource
from pathlib import Path
def peak():
    status = Path("/proc/self/status")
    if not status.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(next(line.split()[1] for line in status.read_text().splitlines() if line.startswith("VmHWM")))
"""
