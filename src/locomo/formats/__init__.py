"""The dataset, and what is indexed of a conversation, on disk."""
