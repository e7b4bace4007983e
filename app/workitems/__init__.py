"""Work items: a tree of what is to be done, with states, history and links to memories."""
