"""The commands of ``logts``, one file each. A file enters its command where it is defined."""

import click

from logts.tools.registry import Registry

COMMANDS: Registry[click.Command] = Registry("command")
