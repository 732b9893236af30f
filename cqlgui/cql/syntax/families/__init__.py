"""By family of filters: the functions that read them."""
