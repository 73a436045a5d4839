// Follows what is ingested.
