"""A program that works now and then, better with some flags: exit code 0 if it worked, 1 if not.

Once in a hundred runs it breaks altogether, with exit code 2: that says nothing about the flags, and is not a
no.

    logts run flags.csv --additive -j 4 -- \
        python flaky.py --cache {cache} --threads {threads} --backoff {backoff}
"""

import argparse
import math
import random
import sys
import time


def main() -> int:
    """Do some work, and say how it went."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cache", choices=["on", "off"], required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--backoff", choices=["yes", "no"], required=True)
    flags = parser.parse_args()
    logit = -2.2 + 1.4 * (flags.cache == "on") + 0.5 * flags.threads + (flags.backoff == "yes")
    time.sleep(random.uniform(0.02, 0.08))
    if random.random() < 0.01:
        print("flaky: lost the connection", file=sys.stderr)
        return 2
    return 0 if random.random() < 1.0 / (1.0 + math.exp(-logit)) else 1


if __name__ == "__main__":
    sys.exit(main())
