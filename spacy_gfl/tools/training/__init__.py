"""What makes trainings better: silver trees, casual text, rounded weights."""
