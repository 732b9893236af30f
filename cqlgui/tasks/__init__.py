"""The actions of a user, one function for each, without Qt. Only this package brings query, index and catalog
together."""
