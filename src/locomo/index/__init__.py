"""Claims, the naming rule, the graph, pieces, and the indexer that makes all of them."""
