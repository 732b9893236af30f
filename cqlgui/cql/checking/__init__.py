"""What is wrong or doubtful in a text, and how to mend it."""
