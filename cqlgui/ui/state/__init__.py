"""The state of the window and its jobs, without any drawing."""
