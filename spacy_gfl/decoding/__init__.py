"""What every decoder shares."""
