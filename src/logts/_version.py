"""The version of the package, in a file of its own so that anything may import it."""

__version__ = "0.4.0"
