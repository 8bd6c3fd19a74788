"""What the launcher's modules share."""
