"""From a goal to a plan: which plans reach a tier, what each keeps, and what each of their promises costs."""
