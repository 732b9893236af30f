"""What all other packages use: files, errors, cancellation, progress, logging. Imports none of these
packages."""
