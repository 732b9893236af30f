"""Worker processes and the messages between them."""
