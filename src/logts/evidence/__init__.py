"""What outcomes say: within the model, without it, about each rate, and about the fit."""
