"""Korean: numbers, particles and endings, phrases and synonyms, and the reading of morphemes into a statement."""
