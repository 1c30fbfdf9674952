"""`python -m incrowd`."""

from contextlib import suppress

from incrowd.machine import stopping

if __name__ == "__main__":
    stopping.listen()  # before what takes long to import
    with suppress(stopping.Stopped), stopping.held():  # a stop waits for somebody who can say it
        from incrowd.cli import main

    main()
