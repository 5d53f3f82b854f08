"""``logts token``: who may use a server, and for what."""

import time

import click

from logts.cli.commands import COMMANDS
from logts.cli.studies import DEFAULT
from logts.journal import open_store
from logts.server.tokens import Role, Tokens

DB = click.option("--db", default=DEFAULT, show_default=True, help="The file or postgresql://... database.")
ROLES = [role.name.lower() for role in Role]
EXAMPLES = """\b
Examples:
  logts token make manage --label 'the team'
  logts token make answer --study headlines --days 30
  logts token list
  logts token revoke 1f2e3d4c
"""


@COMMANDS.enter("token", place=76)
@click.group(epilog=EXAMPLES)
def token() -> None:
    """Tokens for `logts serve`: make, list and revoke them.

    They are kept beside the studies, and only as hashes. Once there is one, nobody gets in without one.
    """


@token.command(epilog=EXAMPLES)
@click.argument("role", type=click.Choice(ROLES))
@DB
@click.option("--study", "studies", multiple=True, help="Only for this study; may be given several times.")
@click.option("--label", default="", help="Whose it is, or what for.")
@click.option("--days", type=click.FloatRange(0.0, 36500.0, min_open=True), help="How long it is valid.")
def make(role: str, db: str, studies: tuple[str, ...], label: str, days: float | None) -> None:
    """Make a token and print it, this once.

    Its role permits to read; to answer, that is ask for trials and tell outcomes; or to manage, that is begin
    and archive studies as well.
    """
    tokens = Tokens(open_store(db, create=True))
    made = tokens.make(Role[role.upper()], studies=list(studies) or None, label=label, days=days)
    click.echo(made)
    click.echo("Keep it: it is not shown again, and only its hash is kept.", err=True)


@token.command("list")
@DB
def list_tokens(db: str) -> None:
    """The tokens that are valid, without what is secret of them."""
    for name, caller in Tokens(open_store(db)).listed().items():
        which = "all studies" if caller.studies is None else ", ".join(sorted(caller.studies))
        over = "" if caller.until is None else time.strftime("until %Y-%m-%d", time.gmtime(caller.until))
        click.echo(
            "  ".join(filter(None, [name, f"{caller.role.name.lower():6}", which, caller.label, over]))
        )


@token.command(epilog="Example: logts token revoke 1f2e3d4c")
@click.argument("name")
@DB
def revoke(name: str, db: str) -> None:
    """Make a token worthless, within a second, given by the eight letters after `logts_`."""
    gone = Tokens(open_store(db)).revoke(name)
    click.echo(f"Revoked: {gone.token} ({gone.role.name.lower()}{', ' + gone.label if gone.label else ''})")
