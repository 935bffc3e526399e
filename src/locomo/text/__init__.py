"""From words to numbers: tokens, the lexicon, names, term weights, sparse rows."""
