"""What pipes over files and functions share."""
