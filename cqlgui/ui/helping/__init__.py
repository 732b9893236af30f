"""What is shown beside the query while it is written: checks, estimates, explanations."""
