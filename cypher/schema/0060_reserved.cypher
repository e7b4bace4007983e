// This number is taken by another change, and goes with the merge of that.
