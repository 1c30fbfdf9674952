"""What an analyst keeps: use cases with a verdict, general measures, the sweep over k, and what else would have cost."""
