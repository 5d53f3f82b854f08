"""What routes answer, by example: of three headlines, in the description of the interface."""

from typing import Any

PROGRESS: dict[str, Any] = {
    "study": "headlines",
    "question": "Which of 3 options is best?",
    "position": 83,
    "decided": False,
    "ended": False,
    "answer": "best: Good day",
    "confidence": 0.62,
    "wanted": 0.95,
    "trials": 80,
    "expected_remaining": 40.0,
    "asked": 82,
    "told": 80,
    "abandoned": 0,
    "waiting": 2,
    "alarmed": False,
    "archived": False,
    "created": 1767225600.0,
    "now": 1767229200.0,
}
DESCRIBED = PROGRESS | {
    "delta": 0.05,
    "policy": "log-ts",
    "settings": {"guard": True, "rng": 0},
    "lease": 3600.0,
    "problem": {"kind": "BestArm", "epsilon": 0.0},
    "options": ["Hello", "Hi there", "Good day"],
    "dimension": 3,
}
MODEL = ["No model: each of 3 options has a rate of its own, which assumes nothing."]
VERDICT: dict[str, Any] = {
    "confidence": 0.964,
    "confidence_without_model": 0.964,
    "basis": "model-free",
    "rule": "evidence",
    "reason": "every rival is refuted by the arms' own outcomes",
    "assumes": "independent outcomes, each arm with a rate of its own",
    "proven": True,
    "seen": "",
    "counts": [28, 34, 38],
    "threshold": 3.0,
    "answer": {"items": [2], "text": "best: Good day"},
}
STANDING: dict[str, Any] = {
    "study": "headlines",
    "decided": False,
    "answer": "best: Good day",
    "options": ["Good day"],
    "confidence": 0.62,
    "wanted": 0.95,
    "trials": 80,
    "expected_remaining": 40.0,
    "abandoned": 0,
    "waiting": 2,
    "held_up": 0,
    "alarm": None,
    "before_the_proof": {
        "leader": "best: Good day",
        "posterior_probability": 0.99,
        "posterior_expected_loss": 0.0005,
        "narrowest_difference": {
            "option": "Good day",
            "against": "Hi there",
            "low": -0.14,
            "difference": 0.4,
            "high": 0.87,
        },
        "ruled_out": ["Hello"],
    },
    "rates_are": "of the options themselves",
    "rates": [{"option": "Good day", "low": 0.51, "rate": 0.79, "high": 0.95}],
}
STUDIED: dict[str, Any] = {
    "median": 182.0,
    "median_interval": [150.0, 219.0],
    "quantile_90": 272.0,
    "studies": 3,
    "basis": {"model": 3},
    "wrong": 0,
    "limit": 1500,
    "trials": [150.0, 182.0, 219.0],
}
BOUND = {"trials": 41.8, "gap": 5e-07, "proven": True, "answer": "best: off | 1"}
PLAN: dict[str, Any] = {
    "answer": "best: off | 1",
    "delta": 0.05,
    "rates": {"on | 1": 0.5, "on | 2": 0.2, "off | 1": 0.8, "off | 2": 0.5},
    "misfit": 0.0,
    "lower_bound": BOUND,
    "lower_bound_without_model": BOUND | {"trials": 63.0},
    "log_ts": STUDIED,
    "uniform": STUDIED,
    "summary": "Expect 182 trials (the median, between 150 and 219) ...",
    "model": ["Model: the logit of an option's rate is cache + threads; 3 parameters for 4 options."],
    "headline": "Expect 182 trials (the median, between 150 and 219); nine studies in ten need at most 272.",
    "prices": [
        "Prices: on their own about 290 trials; if the columns add up on the logit scale about 180 ..."
    ],
}

# By method and address: what comes back if all is well.
ANSWERS: dict[tuple[str, str], Any] = {
    ("get", "/api/studies"): {"studies": [PROGRESS], "all": 1, "next": None},
    ("post", "/api/studies"): DESCRIBED | {"model": MODEL},
    ("get", "/api/studies/{name}"): DESCRIBED,
    ("post", "/api/studies/{name}/archive"): PROGRESS | {"archived": True},
    ("post", "/api/studies/{name}/ask"): {
        "trials": [{"id": 0, "option": "Hello", "number": 0, "columns": {"headline": "Hello"}}],
        "ended": False,
    },
    ("post", "/api/studies/{name}/tell"): {"position": 3},
    ("post", "/api/studies/{name}/abandon"): {"position": 3},
    ("post", "/api/studies/{name}/release"): {"position": 3},
    ("post", "/api/studies/{name}/counts"): {"position": 3},
    ("post", "/api/studies/{name}/history"): {"position": 3},
    ("post", "/api/studies/{name}/notes"): {"position": 3},
    ("get", "/api/studies/{name}/progress"): PROGRESS,
    ("get", "/api/studies/{name}/standing"): STANDING,
    ("get", "/api/studies/{name}/verdict"): {
        "study": "headlines",
        "verdict": VERDICT,
        "summary": "Best: Good day.\nConfidence 96.4%, after 100 trials: ...",
    },
    ("get", "/api/studies/{name}/waiting"): {
        "waiting": 1,
        "trials": [{"id": 80, "option": "Hello", "worker": "caller visitor 7", "until": 1767232800.0}],
    },
    ("post", "/api/options"): {"model": MODEL, "options": ["Hello", "Hi there", "Good day"], "dimension": 3},
    ("post", "/api/plan"): PLAN,
    ("get", "/healthz"): {"status": "ok"},
}
