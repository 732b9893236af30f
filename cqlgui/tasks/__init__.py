"""What a user can do, one function each, without Qt: the only place where query, index and catalog meet."""
