"""``python -m logts``: the same as ``logts``."""

from logts.cli import main

if __name__ == "__main__":
    main()
