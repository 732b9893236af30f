"""What the user sees beside a query while writing: estimates, explanations, and whether the query matches."""
