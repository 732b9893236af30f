"""The actions of a user, one function for each action, without Qt. Only this package brings query, index and
catalog together."""
