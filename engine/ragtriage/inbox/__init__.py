"""Reports of bad answers: read from what other systems export, masked, kept in an inbox, and turned into questions."""
