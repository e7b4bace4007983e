"""Stories of those who use agent memory, told over HTTP; `test_stories.py` runs them."""
