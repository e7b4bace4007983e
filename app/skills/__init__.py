"""What agents can do, as a graph of data; nothing in it is run."""
