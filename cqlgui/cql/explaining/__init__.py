"""Why a position matches."""
