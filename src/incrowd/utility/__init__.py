"""What an analyst keeps: use cases with a verdict, general measures, the sweep over k, prices of alternatives."""
