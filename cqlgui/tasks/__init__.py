"""What a user can do, one function for each thing, without Qt. The only place where query, index and catalog
meet."""
