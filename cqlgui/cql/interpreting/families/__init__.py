"""By family of filters: the closures of those that build on expressions."""
