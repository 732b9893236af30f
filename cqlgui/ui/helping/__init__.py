"""What is shown beside the query while the user writes it: whether it matches, estimates, explanations."""
