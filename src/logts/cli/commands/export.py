"""``logts export``: the trials of a study as a table, or its journal."""

import json
from pathlib import Path

import click

from logts.cli.commands import COMMANDS
from logts.cli.options import OUT
from logts.cli.studies import target, which_study
from logts.study import Study
from logts.tables import to_csv


@COMMANDS.enter("export", place=60)
@click.command(epilog="Example: logts export --out trials.parquet")
@which_study
@OUT
@click.option("--force", is_flag=True, help="Overwrite the file if there is one.")
def export(study: str, name: str | None, out: Path | None, force: bool) -> None:
    """A row for each trial, as CSV or Parquet; or the journal itself, as JSON lines (.jsonl).

    By default the file is called like the study and ends in .trials.csv. In a CSV file a text that begins
    with =, +, -, @ or a tab gets an apostrophe before it, unless it is a number: spreadsheets would take it
    for a formula. Other formats keep all texts as they are.
    """
    with Study.open(study, name) as found:
        path = target(out, found, ".trials.csv", force)
        if path.suffix == ".jsonl":
            lines = (json.dumps(event, ensure_ascii=False) + "\n" for event in found.events())
            path.write_text("".join(lines), encoding="utf-8")
        elif path.suffix == ".parquet":
            try:
                found.to_pandas().to_parquet(path, index=False)
            except ImportError as error:
                raise ImportError("Parquet files need pyarrow: pip install 'logts[parquet]'") from error
        elif path.suffix == ".csv":
            path.write_text(to_csv(found.to_pandas()), encoding="utf-8")
        else:
            raise click.UsageError(f"the ending says the format: .csv, .parquet or .jsonl; got {path}")
        click.echo(f"{found.asked:,} trials: {path}")
