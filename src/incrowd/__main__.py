"""`python -m incrowd`."""

from incrowd.machine import stopping

if __name__ == "__main__":
    stopping.listen()  # before what takes long to import
    from incrowd.cli import main

    main()
