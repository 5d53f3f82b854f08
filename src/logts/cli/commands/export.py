"""``logts export``: the trials of a study as a table, or its journal."""

import json
from pathlib import Path

import click

from logts.cli.commands import COMMANDS
from logts.cli.options import OUT
from logts.cli.studies import target, which_study
from logts.study import Study


@COMMANDS.enter("export", place=60)
@click.command(epilog="Example: logts export --out trials.parquet")
@which_study
@OUT
def export(study: str, name: str | None, out: Path | None) -> None:
    """A row for each trial, as CSV or Parquet; or the journal itself, as JSON lines (.jsonl)."""
    with Study.open(study, name) as found:
        path = target(out, found, ".csv")
        if path.suffix == ".jsonl":
            lines = (json.dumps(event, ensure_ascii=False) + "\n" for event in found.events())
            path.write_text("".join(lines), encoding="utf-8")
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
