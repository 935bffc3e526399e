"""Words into numbers: tokens, the lexicon, names, the weights of terms, sparse rows."""
