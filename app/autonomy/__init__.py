"""What agents do by themselves: goals, escalations, observations, and suggestions for policies."""
