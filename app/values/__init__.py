"""Values as what they are: numbers, amounts, dates, states and names, compared by meaning."""
