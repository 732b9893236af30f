"""The actions that a user can take, one function for each action, without Qt. Only this package brings query,
index and catalog together."""
