"""Tables, figures and the page: results for reading."""
