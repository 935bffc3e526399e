"""The official scorer, loaded and compared with ours."""
