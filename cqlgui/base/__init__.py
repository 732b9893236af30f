"""What all other packages use: files, errors, cancellation, progress, logging. Imports nothing of theirs."""
