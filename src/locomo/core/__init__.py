"""How any stage or command runs: settings, errors, paths, files, downloads and parallel work."""
