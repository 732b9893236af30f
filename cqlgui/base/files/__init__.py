"""Files and folders: safe writing, resources, the log."""
