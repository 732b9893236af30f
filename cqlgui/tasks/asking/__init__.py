"""The texts that people ask with: queries, the library, pasted text, rights."""
