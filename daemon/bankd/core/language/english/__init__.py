"""English: stems, function words, and the reading of a text into a statement."""
