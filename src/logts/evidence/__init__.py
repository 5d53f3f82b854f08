"""What outcomes say: forecasts and likelihoods within the model, arms compared by themselves, intervals, and the fit."""
