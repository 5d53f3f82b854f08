"""Commands about studies that are kept: status, list, report, plot, export, rescue."""

import json
from pathlib import Path

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from logts.cli.studies import DEFAULT, exit_code, facts, target, tell, which_study
from logts.journal import JournalError
from logts.journal import rescue as save_what_can_be_read
from logts.study import Study

OUT = click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
PICTURES = ("rates", "confidence", "settled", "fit")


@click.command(epilog="Example: logts status && ./deploy.sh   (exit code: 0 if decided, 3 if not)")
@which_study
@click.option("--json", "as_json", is_flag=True, help="As JSON, for machines.")
def status(study: str, name: str | None, as_json: bool) -> None:
    """How a study stands: the verdict in words, or what is still missing."""
    with Study.open(study, name) as found:
        tell(found, as_json)
        raise SystemExit(exit_code(found))


@click.command("list", epilog="Example: logts list postgresql://me@host/studies")
@click.argument("study", default=DEFAULT, metavar="[STUDY]")
@click.option("--json", "as_json", is_flag=True, help="As JSON, for machines.")
def list_studies(study: str, as_json: bool) -> None:
    """The studies of a file or database, each with how it stands."""
    stand = []
    for name in Study.list(study):
        try:
            with Study.open(study, name) as found:
                stand.append(facts(found))
        except (JournalError, ValueError) as error:  # one that cannot be opened does not hide the others
            stand.append({"study": name, "error": str(error)})
    if as_json:
        click.echo(json.dumps(stand))
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("study", "trials", "confidence", "wanted", "answer"):
        words = heading in ("study", "answer")
        table.add_column(heading, justify="left" if words else "right", no_wrap=heading != "answer")
    for one in stand:
        if "error" in one:
            table.add_row(Text(one["study"]), "", "", "", Text(one["error"], style="red"))
            continue
        answer = one["answer"] or "-"
        says = answer if one["decided"] else f"{answer} (leading)" if one["answer"] else answer
        table.add_row(Text(one["study"]), f"{one['trials']:,}", f"{one['confidence']:.2%}", f"{100 * one['wanted']:g}%", Text(says))
    Console().print(table)


@click.command(epilog="Example: logts report --out report.html --open")
@which_study
@OUT
@click.option("--open", "show", is_flag=True, help="Open it in the browser.")
def report(study: str, name: str | None, out: Path | None, show: bool) -> None:
    """One HTML page with the verdict, the pictures and the numbers, to send to others."""
    with Study.open(study, name) as found:
        path = found.report(target(out, found, ".html"))
    click.echo(f"Report: {path}")
    if show:
        click.launch(str(path))


@click.command(epilog="Example: logts plot rates --out rates.png")
@click.argument("picture", type=click.Choice(PICTURES))
@which_study
@OUT
def plot(picture: str, study: str, name: str | None, out: Path | None) -> None:
    """A picture: rates with intervals and trials, confidence over trials, what was settled when, or the fit check.

    The ending of the file says its format: png, svg, pdf.
    """
    with Study.open(study, name) as found:
        path = target(out, found, f"-{picture}.png")
        getattr(found, f"plot_{picture}")().savefig(path, dpi=150)
    click.echo(f"Picture: {path}")


@click.command(epilog="Example: logts export --out trials.parquet")
@which_study
@OUT
def export(study: str, name: str | None, out: Path | None) -> None:
    """A row for each trial, as CSV or Parquet; or the journal itself, as JSON lines (.jsonl)."""
    with Study.open(study, name) as found:
        path = target(out, found, ".csv")
        if path.suffix == ".jsonl":
            path.write_text("".join(json.dumps(event, ensure_ascii=False) + "\n" for event in found.events()), encoding="utf-8")
        elif path.suffix == ".parquet":
            try:
                found.to_pandas().to_parquet(path, index=False)
            except ImportError as error:
                raise ImportError("Parquet files need pyarrow: pip install 'logts[parquet]'") from error
        elif path.suffix == ".csv":
            found.to_pandas().to_csv(path, index=False)
        else:
            raise click.UsageError(f"the ending says the format: .csv, .parquet or .jsonl; got {path}")
        click.echo(f"{found.asked:,} trials: {path}")


@click.command(epilog="Example: logts rescue broken.db rescued.db")
@click.argument("broken")
@click.argument("new")
def rescue(broken: str, new: str) -> None:
    """Copy what can still be read of a damaged file into a new one. The old one is not touched."""
    for name, (saved, trouble) in save_what_can_be_read(broken, new).items():
        found = f"{saved:,} events saved" + (f"; the next is lost ({trouble})" if trouble else ", all of them" if saved else "")
        click.echo(f"{name}: {found}")


@click.command(epilog='Example: eval "$(logts completion bash)"   (put it into ~/.bashrc)')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what makes the shell complete commands, options and names of studies."""
    from click.shell_completion import get_completion_class

    found = get_completion_class(shell)
    if found is not None:
        click.echo(found(ctx.find_root().command, {}, "logts", "_LOGTS_COMPLETE").source())
