"""Outcomes of numerical work. Each value is a sentence that says what to do."""

from enum import Enum

from logts.tools.state import record


@record
class Status(Enum):
    """How a computation ended; ``print(status)`` gives the advice.

    Examples
    --------
    >>> import logts
    >>> print(logts.Status.ALREADY_KNOWN)
    The answer is the same whatever the parameter: no trial is needed.
    """

    CONVERGED = "Converged, with proof."
    SEPARABLE = (
        "A hyperplane splits the successes from the failures, so no maximum-likelihood estimate exists: "
        "gather more outcomes, or give a ridge."
    )
    NOT_SPANNED = (
        "The arms tried so far do not determine the parameter: try arms that span the features, or give a "
        "ridge."
    )
    STALLED = (
        "Rounding stopped the progress before the tolerance was met: use the bounds that were reached, or "
        "rescale the input."
    )
    ITERATION_LIMIT = (
        "The iteration limit came before the tolerance: allow more iterations, or accept the bounds that "
        "were reached."
    )
    NOT_PROVEN_GLOBAL = "The best of several local searches; that nothing lies lower is not proven."
    TIE = (
        "No unique answer at this parameter: the options named tie. Ask with an epsilon, or for a larger set."
    )
    NOT_IDENTIFIABLE = (
        "No amount of trials can settle this question: the items differ in a direction that no arm measures. "
        "Add arms that measure it."
    )
    SATURATED = (
        "Success rates so close to 0 or 1 that outcomes carry no measurable information: "
        "no number of trials within reach settles the question. Check the scale of theta."
    )
    MODEL_DOUBTFUL = (
        "The outcomes do not fit a straight logit in these features, so evidence within that model proves "
        "nothing: "
        "add features or interactions, or compare the arms by themselves."
    )
    ALREADY_KNOWN = "The answer is the same whatever the parameter: no trial is needed."

    def __str__(self) -> str:
        return self.value
