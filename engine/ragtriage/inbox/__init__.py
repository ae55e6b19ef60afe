"""Reports of bad answers: read from what other systems export, masked, and kept in an inbox."""
